import { readFileSync } from "node:fs";
import { expect, inject, it } from "vitest";
import { createTemporaryDatabase } from "../testing/temporary-database.js";
import { dumpSchema } from "./dump-schema.js";

it("schema.sql is up to date (`pnpm generate` writes it)", async () => {
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  const dumped = await dumpSchema(url).finally(remove);
  expect(readFileSync(new URL("../../schema.sql", import.meta.url), "utf8")).toBe(dumped);
});
