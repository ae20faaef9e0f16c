import Database from "better-sqlite3";
import { applicationId, migrations } from "./migrations.js";

interface Header {
  readonly application: number;
  readonly version: number;
  readonly objects: number;
}

/** Throws, before anything is written, when the file is another program's or a newer version's. */
export function checkOwnership(database: Database.Database, file: string): void {
  const { application, version, objects } = readHeader(database, file);
  const isNew = application === 0 && version === 0 && objects === 0;
  if (isNew) return;
  if (application !== applicationId) {
    throw new Error(
      `${file} is the database of another program. Give the gateway a file of its own.`,
    );
  }
  if (version > migrations.length) {
    throw new Error(
      `${file} has schema version ${version}, and this version of the gateway knows up to ${migrations.length}. Start the newer version that wrote it, or restore a backup from before the upgrade.`,
    );
  }
}

/** Brings the schema to the current version, a migration a transaction; says from which to which. */
export function migrate(database: Database.Database): { from: number; to: number } {
  const from = readVersion(database);
  while (readVersion(database) < migrations.length) {
    database.transaction(() => migrateOnce(database)).immediate();
  }
  return { from, to: readVersion(database) };
}

function migrateOnce(database: Database.Database): void {
  // Asked again now that nobody else can write: another process may have been faster.
  const version = readVersion(database);
  const migration = migrations[version];
  if (migration === undefined) return;
  database.exec(migration);
  database.pragma(`application_id = ${applicationId}`);
  database.pragma(`user_version = ${version + 1}`);
}

function readVersion(database: Database.Database): number {
  return database.pragma("user_version", { simple: true }) as number;
}

/** In one statement, which sees one moment: another process may be migrating. */
const headerSql = `SELECT
  (SELECT application_id FROM pragma_application_id) AS application,
  (SELECT user_version FROM pragma_user_version) AS version,
  (SELECT count(*) FROM sqlite_schema) AS objects`;

function readHeader(database: Database.Database, file: string): Header {
  try {
    return database.prepare<[], Header>(headerSql).get() as Header;
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || error.code !== "SQLITE_NOTADB") throw error;
    throw new Error(`${file} is not a SQLite database. Give the gateway a file of its own.`, {
      cause: error,
    });
  }
}
