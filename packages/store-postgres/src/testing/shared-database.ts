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

const emptyAll = (schema: string) => `DO $$
DECLARE name text;
BEGIN
  PERFORM set_config('session_replication_role', 'replica', true);
  FOR name IN SELECT c.oid::regclass::text FROM pg_class AS c
    WHERE c.relnamespace = to_regnamespace('${schema}') AND c.relkind IN ('r', 'p')
      AND NOT c.relispartition
      AND c.relname NOT IN ('schema_version', 'pruned_changes', 'pruned_events', 'telemetry_marks')
    -- A table that refers to another one is newer. A worker of Citus checks the references.
    ORDER BY c.oid DESC
  LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
  IF to_regnamespace('${schema}') IS NOT NULL THEN
    UPDATE ${schema}.pruned_changes SET up_to = 0;
    UPDATE ${schema}.pruned_events SET up_to = 0;
    UPDATE ${schema}.telemetry_marks SET pruned_before = 0;
    PERFORM setval(pg_get_serial_sequence('${schema}.releases', 'id'), 1, false);
  END IF;
END $$`;

export async function openSharedDatabase(
  serverUrl: string,
  ...schemas: readonly string[]
): Promise<SharedDatabase> {
  const { url, remove } = await (schemas.length === 0
    ? createMigratedDatabase(serverUrl)
    : createTemporaryDatabase(serverUrl));
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    url,
    async empty() {
      // A gateway of the test before may still read: a deadlock ends one of the two, and the next try succeeds.
      for (let tries = 1; ; tries++) {
        try {
          for (const schema of schemas.length === 0 ? [defaultSchema] : schemas) {
            await client.query(emptyAll(schema));
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
