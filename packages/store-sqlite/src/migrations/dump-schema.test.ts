import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dumpSchema } from "./dump-schema.js";

it("prints what schema.sql holds (`pnpm generate` brings it up to date)", () => {
  const committed = readFileSync(new URL("../../schema.sql", import.meta.url), "utf8");
  expect(committed).toBe(dumpSchema());
});
