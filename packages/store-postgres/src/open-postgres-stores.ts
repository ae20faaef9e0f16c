import { Pool } from "pg";
import type { PollFeed } from "./database/changes/change-feed.js";
import { createCommonPoll } from "./database/changes/common-poll.js";
import { isOnCitus } from "./database/citus.js";
import { checkUrl } from "./database/connection/check-url.js";
import { createCommitsInDoubt } from "./database/connection/commits-in-doubt.js";
import { shareConnection } from "./database/connection/connection.js";
import { connectSafely } from "./database/connection/pool.js";
import { poolOptions } from "./database/connection/pool-options.js";
import { isUnknownSetting } from "./database/connection/store-errors.js";
import { checkSchemaNames, defaultSchema } from "./database/schema-name.js";
import { openStore, type PostgresStore, type PostgresStoreOptions } from "./open-postgres-store.js";
import {
  commitSoon,
  createCommitTurns,
  type StartCommit,
} from "./telemetry/append/commit-turns.js";

export type PostgresStoresOptions = Omit<
  PostgresStoreOptions,
  "url" | "pool" | "schema" | "poolSize" | "readUrl" | "maxReadLagMs"
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
    // Each store adds listeners. Node warns about more than ten.
    pool.setMaxListeners(0);
    try {
      (await connectSafely(pool)).release();
      return pool;
    } catch (error) {
      if (isUnknownSetting(error) && settings === poolOptions.settings) await pool.end();
      // Each store waits for a server that is starting, and says what is wrong.
      else return pool;
    }
  }
  throw new Error("The database does not accept connections.");
}

/**
 * Opens one store for each schema of a database, all over one connection pool. Their change feeds are read together,
 * and they commit records one at a time, except on Citus. The pool ends when the last store is closed.
 * Otherwise works like `openPostgresStore`, and throws what it throws.
 * @throws {TypeError} if two schemas have the same advisory locks, which depend on a hash of the name.
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
  checkSchemaNames(schemas);
  const pool = await openPool(url, poolSize);
  const { logger } = options;
  const shared = shareConnection({ source: { pool }, schema: defaultSchema, logger });
  const inDoubt = createCommitsInDoubt(pool, true, shared.readStep);
  const pollTogether = createCommonPoll(shared, schemas);
  const takeTurn = createCommitTurns(schemas.length);
  // Citus has the schemas on several nodes. They commit at the same time, and no statement may read all of them.
  let onCitus = false;
  const startCommit: StartCommit = (commit) => (onCitus ? commitSoon(commit) : takeTurn(commit));
  const open = new Set<PostgresStore>();
  const stores: PostgresStore[] = [];
  const end = async () => {
    await shared.close();
    await pool.end();
  };
  try {
    for (const [place, schema] of schemas.entries()) {
      const joinPoll = (alone: PollFeed): PollFeed => {
        const together = pollTogether(place, alone);
        return (seen) => (onCitus ? alone(seen) : together(seen));
      };
      const work = { joinPoll, startCommit, inDoubt };
      const store = await openStore({ ...options, pool, schema }, work);
      open.add(store);
      stores.push({
        ...store,
        async close() {
          await store.close();
          if (open.delete(store) && open.size === 0) await end();
        },
      });
    }
    // Only now it is certain that the database answers.
    onCitus = await shared.read(isOnCitus);
  } catch (error) {
    for (const store of open) await store.close();
    await end();
    throw error;
  }
  return stores;
}
