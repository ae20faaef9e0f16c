import { openPostgresStore, type PostgresStore } from "../open-postgres-store.js";
import { openSharedDatabase } from "./shared-database.js";

/** Stores on one database that stay open between tests. */
export interface SharedStores {
  /**
   * Deletes the rows of the previous test. Returns the stores; opens those again that the test
   * closed.
   */
  open(): Promise<readonly PostgresStore[]>;
  remove(): Promise<void>;
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
  { stores: count, poolSize }: { readonly stores: number; readonly poolSize: number },
): Promise<SharedStores> {
  const database = await openSharedDatabase(serverUrl);
  const openOne = () => openPostgresStore({ url: database.url, poolSize });
  const stores: PostgresStore[] = [];
  return {
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
