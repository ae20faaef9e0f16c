import { readFileSync } from "node:fs";
import { expect, inject, it } from "vitest";
import { createTemporaryDatabase, runOn } from "../testing/temporary-database.js";
import { dumpSchema, readSchema } from "./dump-schema.js";

const committed = readFileSync(new URL("../../schema.sql", import.meta.url), "utf8");

it("schema.sql is up to date (`pnpm generate` writes it)", async () => {
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  const dumped = await dumpSchema(url).finally(remove);
  expect(committed).toBe(dumped);
});

it("schema.sql loads into an empty database, and describes the result", async () => {
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  try {
    await runOn(url, committed);
    expect(await readSchema(url)).toBe(committed);
  } finally {
    await remove();
  }
});
