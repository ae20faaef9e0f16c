import { expect, test } from "vitest";
import { openPostgresStores } from "../open-postgres-stores.js";
import { checkSchemaNames } from "./schema-name.js";

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
