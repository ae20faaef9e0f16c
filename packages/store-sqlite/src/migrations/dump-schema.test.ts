import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dumpSchema } from "./dump-schema.js";

it("schema.sql is up to date (`pnpm generate` writes it)", () => {
  const committed = readFileSync(new URL("../../schema.sql", import.meta.url), "utf8");
  expect(committed).toBe(dumpSchema());
});
