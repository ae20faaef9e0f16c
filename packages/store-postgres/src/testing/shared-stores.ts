import { openPostgresStore, type PostgresStore } from "../open-postgres-store.js";
import { openSharedDatabase } from "./shared-database.js";

/** Stores on one database that stay open between tests. */
export interface SharedStores {
  readonly url: string;
  /**
   * Deletes the rows of the previous test. Returns the stores; opens those again that the test
   * closed.
   */
  open(): Promise<readonly PostgresStore[]>;
  remove(): Promise<void>;
}

export interface SharedStoresOptions {
  readonly stores: number;
  readonly poolSize: number;
  readonly schema?: string;
}

/** Copies the parts whose methods tests replace. */
const toCopy = (store: PostgresStore): PostgresStore => ({
  ...store,
  devices: { ...store.devices },
  telemetry: { ...store.telemetry },
  releases: { ...store.releases },
  changes: { ...store.changes },
});

/** Opens stores that many tests share, because opening takes longer than most tests. */
export async function openSharedStores(
  serverUrl: string,
  { stores: count, poolSize, schema }: SharedStoresOptions,
): Promise<SharedStores> {
  const database = await openSharedDatabase(serverUrl, ...(schema === undefined ? [] : [schema]));
  const openOne = () =>
    openPostgresStore({ url: database.url, poolSize, ...(schema !== undefined && { schema }) });
  const stores: PostgresStore[] = [];
  return {
    url: database.url,
    async open() {
      await database.empty();
      for (let n = 0; n < count; n++) {
        const isOpen = await stores[n]?.ping().then(
          () => true,
          () => false,
        );
        if (!isOpen) stores[n] = await openOne();
      }
      return stores.map(toCopy);
    },
    async remove() {
      for (const store of stores) await store.close();
      await database.remove();
    },
  };
}
