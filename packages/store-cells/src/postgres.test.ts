import { openPostgresStores, type PostgresStore } from "@device-gateway/store-postgres";
import {
  describeStoreConformance,
  runStoreCase,
  type StoreCase,
  type StoreHarness,
  storeCases,
} from "@device-gateway/testing";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { oneOfEachSubject } from "../../store-postgres/src/testing/one-of-each-subject.js";
import {
  openSharedDatabase,
  type SharedDatabase,
} from "../../store-postgres/src/testing/shared-database.js";
import { createCellsStore } from "./create-cells-store.js";

/** Two handles over a home and two cells. Each database has the schemas of one item; the first one is the home. */
function toHarness(layout: readonly (readonly string[])[]): StoreHarness {
  let databases: readonly SharedDatabase[] = [];
  const handles: (readonly PostgresStore[])[] = [];
  const openHandle = async () => {
    const stores: PostgresStore[] = [];
    for (const [n, { url }] of databases.entries()) {
      stores.push(...(await openPostgresStores({ url, schemas: layout[n] ?? [], poolSize: 5 })));
    }
    return stores;
  };
  /** Opens a handle again if the test before closed it. */
  const openStore = async (n: number) => {
    const isOpen = await handles[n]?.[0]?.ping().then(
      () => true,
      () => false,
    );
    const stores = (isOpen ? handles[n] : undefined) ?? (await openHandle());
    handles[n] = stores;
    const [home, ...cells] = stores;
    if (home === undefined) throw new Error("There is no home.");
    return createCellsStore({ home, cells });
  };
  beforeAll(async () => {
    databases = await Promise.all(
      layout.map((schemas) => openSharedDatabase(inject("postgresUrl"), ...schemas)),
    );
  });
  afterAll(async () => {
    for (const stores of handles) await Promise.all(stores.map((store) => store.close()));
    for (const database of databases) await database.remove();
  });
  return {
    open: async () => {
      await Promise.all(databases.map((database) => database.empty()));
      return { handles: [await openStore(0), await openStore(1)], dispose: async () => {} };
    },
  };
}

const merged = storeCases.filter((each) => each.name.startsWith("list: "));

function runCases(
  name: string,
  layout: readonly (readonly string[])[],
  cases: readonly StoreCase[],
): void {
  describe(name, () => {
    const harness = toHarness(layout);
    it.each(cases)("$name", (storeCase) => runStoreCase(storeCase, harness));
  });
}

const oneDatabase = "a home and two cells in three schemas of one Postgres database";
const layout = [["home", "cell_0", "cell_1"]];
// All cases run over cells in memory, and on Postgres without cells. So the suite runs one of each subject on both together.
if (process.env["TEST_CELLS"] === "all") describeStoreConformance(oneDatabase, toHarness(layout));
else runCases(oneDatabase, layout, oneOfEachSubject(storeCases));

runCases(
  "a home and two cells in two Postgres databases",
  [["home", "cell_0"], ["cell_1"]],
  merged,
);
