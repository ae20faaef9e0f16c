import { Pool } from "pg";
import { isUnknownSetting } from "./database/busy-retry.js";
import { checkUrl } from "./database/check-url.js";
import { connectSafely } from "./database/pool.js";
import { poolOptions } from "./database/pool-options.js";
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from "./open-postgres-store.js";

export type PostgresStoresOptions = Omit<
  PostgresStoreOptions,
  "url" | "pool" | "schema" | "poolSize"
> & {
  /** Connection URL, such as `postgres://user:password@host/name`. */
  readonly url: string;
  /** The maximum number of connections of this process, for all schemas together. Default: 10. */
  readonly poolSize?: number;
  /** The schemas. Each has a store of its own. */
  readonly schemas: readonly string[];
};

/** Opens the pool. A pooler accepts no settings; then the operator sets them on the role. */
async function openPool(url: string, poolSize: number): Promise<Pool> {
  for (const settings of [poolOptions.settings, {}]) {
    const pool = new Pool({
      ...poolOptions.ours,
      ...settings,
      connectionString: url,
      max: poolSize,
    });
    // The stores log it.
    pool.on("error", () => {});
    try {
      (await connectSafely(pool)).release();
      return pool;
    } catch (error) {
      if (isUnknownSetting(error) && settings === poolOptions.settings) await pool.end();
      // Each store waits for a server that is starting, and says what is wrong.
      else return pool;
    }
  }
  throw new Error("The database accepts no connection.");
}

/**
 * Opens one store for each schema of a database, all over one connection pool. The pool ends when the last store is closed.
 * Otherwise works like `openPostgresStore`, and throws what it throws.
 *
 * @example
 * const [home, ...cells] = await openPostgresStores({ url, schemas: ["home", "cell_0", "cell_1"] });
 */
export async function openPostgresStores({
  url,
  poolSize = 10,
  schemas,
  ...options
}: PostgresStoresOptions): Promise<readonly PostgresStore[]> {
  checkUrl(url);
  const pool = await openPool(url, poolSize);
  const open = new Set<PostgresStore>();
  const stores: PostgresStore[] = [];
  try {
    for (const schema of schemas) {
      const store = await openPostgresStore({ ...options, pool, schema });
      open.add(store);
      stores.push({
        ...store,
        async close() {
          await store.close();
          if (open.delete(store) && open.size === 0) await pool.end();
        },
      });
    }
  } catch (error) {
    for (const store of open) await store.close();
    await pool.end();
    throw error;
  }
  return stores;
}
