import type { Logger } from "@device-gateway/core/store";
import { type Session, statement } from "./statement.js";

const oldestVersion = 140_000;

interface ServerFacts {
  readonly version: number;
  readonly encoding: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
}

const readFacts = statement<object, ServerFacts>(
  `SELECT current_setting('server_version_num')::int AS version,
     current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
     current_setting('synchronous_commit') AS "synchronousCommit"`,
);

/** Throws if the server cannot be used. Logs an error if the server may lose committed data. */
export async function checkServer(session: Session, logger: Logger | undefined): Promise<void> {
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
  for (const [setting, value] of [
    ["fsync", facts.fsync],
    ["synchronous_commit", facts.synchronousCommit],
  ]) {
    if (value !== "off") continue;
    logger?.error(
      { setting, value },
      `Postgres runs with ${setting} = off: committed data is lost if the machine fails. Set it to on.`,
    );
  }
}
