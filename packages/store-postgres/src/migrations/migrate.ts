import { Client, type ClientBase } from "pg";
import { placesSchemas } from "../database/citus.js";
import { checkUrl } from "../database/connection/check-url.js";
import { applicationName } from "../database/connection/pool-options.js";
import { toStoreError } from "../database/connection/store-errors.js";
import { lockClasses } from "../database/lock-numbers.js";
import { isMoved, toMovedError } from "../database/moved.js";
import {
  checkSchemaName,
  defaultSchema,
  haveSameLocks,
  toSchema,
} from "../database/schema-name.js";
import { migrations } from "./migrations.js";
import { splitStatements } from "./split-statements.js";

/** How long a process waits for another process that is migrating. */
const lockTimeout = "10s";

export interface MigrateOptions {
  /** Connection URL of the role that owns the schema. */
  readonly url: string;
  /** The schema. Default: `device_gateway`. */
  readonly schema?: string;
  /**
   * The role that the servers run as. It is granted the rights that servers need, and no others.
   */
  readonly runtimeRole?: string;
}

export interface MigrateOutcome {
  readonly from: number;
  readonly to: number;
}

/**
 * Migrates the schema of a database in one transaction. If several processes call it, one migrates
 * and the others wait.
 * @throws {TypeError} if `url` is not a Postgres URL, or if another schema of the database has the same advisory locks.
 * @throws {StoreUnavailableError} if the server cannot be reached, or another process migrates for
 * more than 10 seconds.
 * @throws {Error} if the schema belongs to another program or is newer.
 *
 * @example
 * await migratePostgres({ url: "postgres://owner:…@db/gateway", runtimeRole: "gateway" });
 */
export async function migratePostgres({
  url,
  schema = defaultSchema,
  runtimeRole,
}: MigrateOptions): Promise<MigrateOutcome> {
  checkUrl(url);
  checkSchemaName(schema);
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: applicationName,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await migrateOn(client, schema, runtimeRole);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await client.end();
  }
}

/** Migrates over a connection. The caller has checked the name of the schema. */
export async function migrateOn(
  client: ClientBase,
  schema: string,
  runtimeRole?: string,
): Promise<MigrateOutcome> {
  const session = toSession(client, schema);
  const current = await readVersion(session);
  // Most starts have nothing to migrate. They take no lock and need no rights.
  if (current === migrations.length && runtimeRole === undefined) {
    return { from: current, to: current };
  }
  return migrate(session, runtimeRole);
}

function toSession(client: ClientBase, schema: string): MigrationSession {
  const toText = toSchema(schema);
  return {
    query: async (sql, values = []) =>
      // Without values, the text may hold several statements.
      (await client.query(toText(sql), values.length === 0 ? undefined : [...values]))
        .rows as never[],
    grant: (role) => grantRights(client, schema, role),
    schema,
  };
}

/** Creates the schema with the current version, in the transaction of the caller. */
export async function createSchema(client: ClientBase, schema: string): Promise<void> {
  await applyMigrations(toSession(client, schema), 0);
}

/** Grants a role the rights on a schema that servers need, and no others, in the transaction of the caller. */
export async function grantRights(client: ClientBase, schema: string, role: string): Promise<void> {
  // The role is inserted last, because its name may contain that of the default schema.
  const grants = toSchema(schema)(grantsFor("@role"));
  await client.query(grants.replaceAll("@role", () => client.escapeIdentifier(role)));
}

interface MigrationSession {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Grants a role the rights that servers need. */
  grant(role: string): Promise<void>;
  readonly schema: string;
}

async function migrate(
  client: MigrationSession,
  runtimeRole: string | undefined,
): Promise<MigrateOutcome> {
  // With another isolation level, the transaction would not see what another process migrated while
  // this one waited for the lock.
  await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '${lockTimeout}';
    SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`);
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${lockClasses.migration}, 0)`);
    // Read the version again under the lock: another process may have migrated meanwhile.
    const from = await readVersion(client);
    const isPlaced = from === 0 && (await placesSchemas(client));
    // Citus does not support all statements of the migrations on a schema that it has placed already.
    if (isPlaced) await client.query("SET LOCAL citus.enable_schema_based_sharding = off");
    const to = await applyMigrations(client, from);
    if (isPlaced) await client.query("SELECT citus_schema_distribute('device_gateway')");
    if (runtimeRole !== undefined) await client.grant(runtimeRole);
    await client.query("COMMIT");
    return { from, to };
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw explain(error);
  }
}

/**
 * Throws if another gateway's schema of the database has the same advisory locks as the one to create. Commits of one
 * would hold back the readers of the other.
 */
async function refuseSameLocks({ query, schema }: MigrationSession): Promise<void> {
  const gateways = await query<{ name: string }>(
    `SELECT schemaname AS name FROM pg_tables
     WHERE tablename IN ('schema_version', 'device_activity')
     GROUP BY schemaname HAVING count(*) = 2`,
  );
  // A schema that arrives gets its name at the end. One that has moved away is not used.
  const names = gateways
    .map(({ name }) => name.replace(/__arriving$/, ""))
    .filter((name) => !name.endsWith("__moved"));
  const other = names.find((name) => haveSameLocks(name, schema));
  if (other === undefined) return;
  throw new TypeError(
    `schema: "${schema}" and the schema "${other}" of this database would use the same advisory locks, and would wait for each other. Choose another name.`,
  );
}

/** Applies the migrations after a version. Returns the current version. */
async function applyMigrations(client: MigrationSession, from: number): Promise<number> {
  if (from === 0) {
    await refuseSameLocks(client);
    await client.query(`CREATE SCHEMA device_gateway;
      CREATE TABLE device_gateway.schema_version (version integer NOT NULL);
      INSERT INTO device_gateway.schema_version (version) VALUES (0)`);
  }
  for (const text of migrations.slice(from).flatMap(splitStatements)) await client.query(text);
  await client.query("UPDATE device_gateway.schema_version SET version = $1", [migrations.length]);
  return migrations.length;
}

/** The rights that a server needs. It cannot rewrite the audit trail. */
const grantsFor = (role: string): string => `
  GRANT USAGE ON SCHEMA device_gateway TO ${role};
  REVOKE ALL ON ALL TABLES IN SCHEMA device_gateway FROM ${role};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA device_gateway TO ${role};
  REVOKE UPDATE, DELETE ON device_gateway.security_events FROM ${role};
  REVOKE INSERT, UPDATE, DELETE ON device_gateway.schema_version FROM ${role};
  GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA device_gateway TO ${role};
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA device_gateway TO ${role}`;

async function readVersion(client: MigrationSession): Promise<number> {
  const rows = await client.query<{
    plain: boolean;
    schema: boolean;
    table: boolean;
    moved: boolean;
  }>(
    // Not with to_regclass(), which may return a state from before the wait for the lock.
    `SELECT quote_ident($1) = $1 AS plain,
       EXISTS (SELECT FROM pg_namespace WHERE nspname = 'device_gateway') AS schema,
       EXISTS (SELECT FROM pg_tables
         WHERE schemaname = 'device_gateway' AND tablename = 'schema_version') AS table,
       ${isMoved} AS moved`,
    [client.schema],
  );
  if (rows[0]?.plain === false) {
    throw new TypeError(
      `schema: "${client.schema}" is a keyword of Postgres. Choose another name.`,
    );
  }
  if (rows[0]?.schema !== true) return 0;
  if (rows[0].moved) throw toMovedError(client.schema);
  if (!rows[0].table) {
    throw new Error(
      `The schema "${client.schema}" of this database belongs to another program. Give the gateway its own schema or database.`,
    );
  }
  const found = await client.query<{ version: number }>(
    "SELECT version FROM device_gateway.schema_version",
  );
  const version = found[0]?.version ?? 0;
  if (version > migrations.length) {
    throw new Error(
      `The database has schema version ${version}, but this version of the gateway supports versions up to ${migrations.length}. Start the newer version of the gateway that wrote it, or restore a backup from before the upgrade.`,
    );
  }
  return version;
}

/** Explains a missing right: the owner of the schema must migrate. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== "42501") return error;
  return new Error(
    `The database's schema is not up to date, and this role may not change it (${error.message}). Run device-gateway-migrate as the owner of the schema.`,
    { cause: error },
  );
}
