import { Client } from "pg";
import { defaultSchema } from "../database/schema-name.js";
import { createMigratedDatabase } from "./migrated-database.js";
import { createTemporaryDatabase } from "./temporary-database.js";

/**
 * A database that many tests use one after the other, which is faster than creating one per test.
 */
export interface SharedDatabase {
  readonly url: string;
  /**
   * Deletes the rows of the previous test. Ids continue, except those of releases: open stores
   * cache some ids.
   */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

/** The tables that a test may fill, the newest first. */
const listTables = (schema: string) => `SELECT oid::regclass::text AS name FROM pg_class
WHERE relnamespace = to_regnamespace('${schema}') AND relkind IN ('r', 'p') AND NOT relispartition
  AND relname NOT IN ('schema_version', 'pruned_changes', 'pruned_events', 'telemetry_marks')
-- A table that refers to another one is newer. A worker of Citus checks the references.
ORDER BY oid DESC`;

const deleteRows = (schema: string, tables: readonly string[]) => `DO $$ BEGIN
  PERFORM set_config('session_replication_role', 'replica', true);
  ${tables.map((table) => `DELETE FROM ${table};`).join(" ")}
  UPDATE ${schema}.pruned_changes SET up_to = 0;
  UPDATE ${schema}.pruned_events SET up_to = 0;
  UPDATE ${schema}.telemetry_marks SET pruned_before = 0;
  PERFORM setval(pg_get_serial_sequence('${schema}.releases', 'id'), 1, false);
END $$`;

/**
 * Returns a function that empties a schema. It deletes only from tables that have rows, because on Citus each deletion
 * is a round trip.
 */
function createEmptying(client: Client): (schema: string) => Promise<void> {
  const known = new Map<string, readonly string[]>();
  async function findTables(schema: string): Promise<readonly string[]> {
    const { rows } = await client.query<{ name: string }>(listTables(schema));
    const tables = rows.map(({ name }) => name);
    // A schema without tables is migrated later.
    if (tables.length > 0) known.set(schema, tables);
    return tables;
  }
  return async (schema) => {
    const tables = known.get(schema) ?? (await findTables(schema));
    if (tables.length === 0) return;
    const areFilled = tables.map((table) => `EXISTS (SELECT FROM ${table})`);
    const { rows } = await client.query<{ filled: readonly boolean[] }>(
      `SELECT ARRAY[${areFilled.join(", ")}] AS filled`,
    );
    const filled = tables.filter((_, n) => rows[0]?.filled[n] === true);
    await client.query(deleteRows(schema, filled));
  };
}

export async function openSharedDatabase(
  serverUrl: string,
  ...schemas: readonly string[]
): Promise<SharedDatabase> {
  const { url, remove } = await (schemas.length === 0
    ? createMigratedDatabase(serverUrl)
    : createTemporaryDatabase(serverUrl));
  const client = new Client({ connectionString: url });
  await client.connect();
  const emptySchema = createEmptying(client);
  return {
    url,
    async empty() {
      // A gateway of the test before may still read: a deadlock ends one of the two, and the next try succeeds.
      for (let tries = 1; ; tries++) {
        try {
          for (const schema of schemas.length === 0 ? [defaultSchema] : schemas) {
            await emptySchema(schema);
          }
          return;
        } catch (error) {
          if ((error as { code?: string }).code !== "40P01" || tries === 5) throw error;
        }
      }
    },
    async remove() {
      await client.end();
      await remove();
    },
  };
}
