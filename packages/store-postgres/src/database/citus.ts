import type { Session } from "./statement.js";

type Queries = Pick<Session, "query">;

/** SQL: whether the extension Citus is installed in the database. */
export const hasCitus = "to_regprocedure('pg_catalog.citus_is_coordinator()') IS NOT NULL";

/** Returns whether the schemas of the database may be on several nodes. */
export async function isOnCitus(session: Queries): Promise<boolean> {
  const [found] = await session.query<{ citus: boolean }>(`SELECT ${hasCitus} AS citus`, []);
  return found?.citus === true;
}

/**
 * Throws if the server is a worker of Citus. A worker has advisory locks and sequences of its own, so two servers that
 * write through different nodes would not exclude each other.
 */
export async function refuseWorker(session: Queries): Promise<void> {
  const [node] = await session.query<{ leads: boolean }>(
    "SELECT citus_is_coordinator() AS leads",
    [],
  );
  if (node?.leads !== false) return;
  throw new Error(
    "The database is on a worker of Citus. Use the URL of the coordinator, because only its locks and ids hold for all nodes.",
  );
}

/** Returns whether Citus places each new schema on a node (`citus.enable_schema_based_sharding`). */
export async function placesSchemas(session: Queries): Promise<boolean> {
  const [found] = await session.query<{ citus: boolean; places: string | null }>(
    `SELECT ${hasCitus} AS citus,
       current_setting('citus.enable_schema_based_sharding', true) AS places`,
    [],
  );
  if (found?.citus !== true) return false;
  await refuseWorker(session);
  return found.places === "on";
}
