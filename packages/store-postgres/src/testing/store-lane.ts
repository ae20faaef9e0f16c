import { openPostgresStore, type PostgresStore } from "../open-postgres-store.js";
import { openDatabaseLane } from "./database-lane.js";

/** Stores over one database that stay open from test to test, as they do in a server. */
export interface StoreLane {
  /** Removes what the test before left; gives the stores, anew where the test closed one. */
  open(): Promise<readonly PostgresStore[]>;
  remove(): Promise<void>;
}

/** Tests put other methods in the place of some. */
const toCopy = (store: PostgresStore): PostgresStore => ({
  ...store,
  devices: { ...store.devices },
  telemetry: { ...store.telemetry },
  releases: { ...store.releases },
  changes: { ...store.changes },
});

/** Opening stores and their connections takes longer than most tests do. */
export async function openStoreLane(
  serverUrl: string,
  { stores: count, poolSize }: { readonly stores: number; readonly poolSize: number },
): Promise<StoreLane> {
  const lane = await openDatabaseLane(serverUrl);
  const openOne = () => openPostgresStore({ url: lane.url, poolSize });
  const stores: PostgresStore[] = [];
  return {
    async open() {
      await lane.empty();
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
      await lane.remove();
    },
  };
}
