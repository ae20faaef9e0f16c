import type { Database } from "../database/database.js";
import { sqliteCodeOf } from "../drivers/sqlite-code.js";
import { applicationId, migrations } from "./migrations.js";

interface Header {
  readonly application: number;
  readonly version: number;
  readonly objects: number;
}

/** Throws if the file belongs to another program or has a newer schema. Writes nothing. */
export function checkOwnership(database: Database, file: string): void {
  const { application, version, objects } = readHeader(database, file);
  const isNew = application === 0 && version === 0 && objects === 0;
  if (isNew) return;
  if (application !== applicationId) {
    throw new Error(`${file} belongs to another program. Give the gateway its own file.`);
  }
  if (version > migrations.length) {
    throw new Error(
      `${file} has schema version ${version}, but this version of the gateway supports versions up to ${migrations.length}. Start the newer version of the gateway that wrote it, or restore a backup from before the upgrade.`,
    );
  }
}

/**
 * Migrates the schema to the current version, with one transaction per migration. Returns the
 * versions before and after.
 */
export function migrate(database: Database): { from: number; to: number } {
  const from = readVersion(database);
  while (readVersion(database) < migrations.length) {
    database.transaction(() => migrateOnce(database)).immediate();
  }
  return { from, to: readVersion(database) };
}

function migrateOnce(database: Database): void {
  // Read the version again under the write lock: another process may have migrated meanwhile.
  const version = readVersion(database);
  const migration = migrations[version];
  if (migration === undefined) return;
  database.exec(migration);
  database.pragma(`application_id = ${applicationId}`);
  database.pragma(`user_version = ${version + 1}`);
}

function readVersion(database: Database): number {
  return database.pragma("user_version", { simple: true }) as number;
}

/** One statement, so that all values come from one snapshot: another process may be migrating. */
const headerSql = `SELECT
  (SELECT application_id FROM pragma_application_id) AS application,
  (SELECT user_version FROM pragma_user_version) AS version,
  (SELECT count(*) FROM sqlite_schema) AS objects`;

function readHeader(database: Database, file: string): Header {
  try {
    return database.prepare<[], Header>(headerSql).get() as Header;
  } catch (error) {
    if (sqliteCodeOf(error) !== "SQLITE_NOTADB") throw error;
    throw new Error(`${file} is not a SQLite database. Give the gateway its own file.`, {
      cause: error,
    });
  }
}
