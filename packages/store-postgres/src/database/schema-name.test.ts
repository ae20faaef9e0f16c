import { expect, test } from "vitest";
import { openPostgresStores } from "../open-postgres-stores.js";
import { lockClasses, sequenceTags } from "./lock-numbers.js";
import { checkSchemaNames, toSchema } from "./schema-name.js";

/** The names that the bundled server gives, with the largest number of cells. */
const ofServer = [
  "device_gateway",
  ...Array.from({ length: 64 }, (_, n) => `device_gateway_cell_${n}`),
];

test("no two schemas of the bundled server have the same advisory locks", () => {
  checkSchemaNames(ofServer);
});

test("two schemas with the same advisory locks are refused before anything is sent", async () => {
  const schemas = ["home", "cell_0", "cell_13", "cell_60"];
  const opening = openPostgresStores({ url: "postgres://nobody.invalid/x", schemas });
  await expect(opening).rejects.toThrow(
    'schemas: "cell_13" and "cell_60" would use the same advisory locks, and would wait for each other. Rename one of them.',
  );
  checkSchemaNames(["home", "cell_0", "cell_13"]);
});

test("each schema has its own number of every advisory lock", () => {
  const numbers = [...Object.values(lockClasses), ...Object.values(sequenceTags)].map(String);
  const numbersOf = (schema: string) => numbers.map(toSchema(schema));
  expect(numbersOf("cell_0").filter((number) => numbers.includes(number))).toEqual([]);
  expect(new Set(numbersOf("cell_0")).size).toBe(new Set(numbers).size);
});
