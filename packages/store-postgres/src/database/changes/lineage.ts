import type { Logger } from "@device-gateway/core/store";
import { type Session, statement } from "../statement.js";

/**
 * SQL of the lineage: the time when the Postgres server started, or null on a standby. A server must restart before it
 * can lose or rewind committed data, and a standby has no lineage until it is promoted. So two statements with the same
 * lineage see one history of the database: whatever the first one read was not undone before the second one
 * (docs/decisions/0049-failover.md).
 */
export const lineage = `(SELECT CASE WHEN pg_is_in_recovery() THEN NULL
   ELSE extract(epoch FROM pg_postmaster_start_time())::text END)`;

/**
 * SQL of a relation with the lineage in its only row. On Citus the coordinator evaluates it, because it reads a sequence,
 * also in a statement whose tables are on a worker.
 */
export const lineageRow = `(SELECT ${lineage} AS lineage FROM device_gateway.transition_ids)`;

const read = statement<object, { lineage: string | null }>(`SELECT ${lineage} AS lineage`);

/** Returns the lineage of a server that must accept writes. */
export async function readLineage(session: Session): Promise<string> {
  const [row] = await read(session, {});
  return onPrimary(row?.lineage ?? null);
}

/** Returns a lineage. Rejects a standby as a write does, with `read_only_sql_transaction`. */
export function onPrimary(found: string | null): string {
  if (found !== null) return found;
  const error = new Error("the server is a standby, which may be behind");
  throw Object.assign(error, { code: "25006" });
}

/** Notices that the database is served by another server, or by one that was restarted. */
export interface LineageWatch {
  /** Reports the lineage of a statement. Calls the listeners if it is another one than before. */
  see(found: string): void;
  subscribe(listener: () => void): void;
}

export function createLineageWatch(logger: Logger | undefined): LineageWatch {
  const listeners: (() => void)[] = [];
  let known: string | undefined;
  return {
    see(found) {
      const isNew = known !== undefined && known !== found;
      known = found;
      if (!isNew) return;
      logger?.warn({}, "The database server was restarted or replaced. All caches are cleared");
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}
