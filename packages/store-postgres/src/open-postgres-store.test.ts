import { describeStoreConformance } from "@device-gateway/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openSharedStores, type SharedStores } from "./testing/shared-stores.js";
import { askOn } from "./testing/temporary-database.js";

// In a schema of another name, so that each statement that misses it fails. All other tests use the default.
const schema = "fleet_of_acme";

let stores: SharedStores;
beforeAll(async () => {
  stores = await openSharedStores(inject("postgresUrl"), { stores: 2, poolSize: 5, schema });
});
afterAll(() => stores.remove());

describeStoreConformance("the Postgres store", {
  open: async () => {
    const [a, b] = await stores.open();
    if (a === undefined || b === undefined) throw new Error("There are two stores.");
    return { handles: [a, b], dispose: async () => {} };
  },
});

test("the store creates nothing outside its schema", async () => {
  const found = await askOn<{ name: string }>(
    stores.url,
    `SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^(pg_|citus|information_schema$)'
     ORDER BY nspname`,
  );
  expect(found).toEqual([{ name: schema }, { name: "public" }]);
});
