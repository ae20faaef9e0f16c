import type { Logger } from "@device-gateway/core/store";
import { hasCitus, refuseWorker } from "../citus.js";
import { type Session, statement } from "../statement.js";

const oldestVersion = 140_000;

interface ServerFacts {
  readonly version: number;
  readonly encoding: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly synchronousStandbys: string;
  /** Standbys that are connected now. */
  readonly standbys: number;
  readonly citus: boolean;
}

export interface ServerChecks {
  /** Whether the embedder declared a synchronous standby. */
  readonly synchronousStandby: boolean;
  readonly logger: Logger | undefined;
}

const readFacts = statement<object, ServerFacts>(
  `SELECT current_setting('server_version_num')::int AS version,
     current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
     current_setting('synchronous_commit') AS "synchronousCommit",
     current_setting('synchronous_standby_names') AS "synchronousStandbys",
     (SELECT count(*)::int FROM pg_stat_replication) AS standbys, ${hasCitus} AS citus`,
);

/** Throws if the server cannot be used. Logs an error if the server may lose committed data. */
export async function checkServer(session: Session, checks: ServerChecks): Promise<void> {
  const [facts] = await readFacts(session, {});
  if (facts === undefined) return;
  if (facts.version < oldestVersion) {
    throw new Error("This server is older than Postgres 14. Upgrade it first.");
  }
  if (facts.encoding !== "UTF8") {
    throw new Error(
      `The database's encoding is ${facts.encoding}. Create one with ENCODING 'UTF8'.`,
    );
  }
  if (facts.citus) await refuseWorker(session);
  for (const [setting, value] of [
    ["fsync", facts.fsync],
    ["synchronous_commit", facts.synchronousCommit],
  ]) {
    if (value !== "off") continue;
    checks.logger?.error(
      { setting, value },
      `Postgres runs with ${setting} = off: committed data is lost if the machine fails. Set it to on.`,
    );
  }
  checkStandby(facts, checks);
}

/** Returns why a failover may lose acknowledged data, and what to do. Undefined if a synchronous standby has it all. */
function findRisk({ synchronousCommit, synchronousStandbys }: ServerFacts): string | undefined {
  if (!/^(on|remote_apply)$/.test(synchronousCommit)) {
    return `synchronous_commit is ${synchronousCommit}, so a failover may lose acknowledged data. Set it to on for the role of the gateway.`;
  }
  if (synchronousStandbys !== "") return undefined;
  return "synchronous_standby_names is empty, so a failover may lose acknowledged data. Name the standbys (with Patroni: synchronous_mode and synchronous_mode_strict).";
}

/**
 * Throws if a declared synchronous standby does not protect commits. Warns if there are standbys that were not declared
 * and do not.
 */
function checkStandby(facts: ServerFacts, { synchronousStandby, logger }: ServerChecks): void {
  const risk = findRisk(facts);
  if (risk === undefined) return;
  if (synchronousStandby) {
    throw new Error(`A synchronous standby is declared, but ${risk} Or do not declare one.`);
  }
  const hasStandbys = facts.standbys > 0 || facts.synchronousStandbys !== "";
  if (hasStandbys) logger?.warn({}, `The database has standbys, but ${risk}`);
}
