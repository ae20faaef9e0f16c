import Sqlite from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import type { Database } from "../database/database.js";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createMigratedFile } from "../testing/migrated-file.js";

/** Tables with one row, tables with a limited number of rows, and queues of which a statement reads the first row. */
const small = new Set([
  ...["telemetry_counters", "telemetry_watermark", "pruned_events", "pruned_changes", "key_check"],
  ...["sqlite_master", "sqlite_sequence", "pragma_application_id", "pragma_user_version"],
  ...["webhooks", "followers", "json_each", "CONSTANT", "recipients"],
  ...["telemetry_erased", "ota_events_erased", "mark", "alerts_erased"],
]);

/** Statements that read at most as many rows as their limit, or all that are in a partial index. */
const bounded = [
  /FROM telemetry_crowds ORDER BY rowid LIMIT 500/,
  /FROM ota_events ORDER BY id LIMIT \?/,
  /EXISTS \(SELECT 1 FROM alert_rules\)/,
  /FROM releases WHERE status = 'active'/,
];

/** Returns the tables that a statement reads from the first row to the last, by alias if they have one. */
function scansOf(database: Sqlite.Database, sql: string): readonly string[] {
  const values = [...sql.matchAll(/\?/g)].map(() => null);
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]);
  const plan = database
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values, ...(names.length > 0 ? [Object.fromEntries(names)] : []));
  return plan.flatMap(({ detail }) => /^SCAN (\w+)/.exec(detail)?.[1] ?? []);
}

it("no statement reads the whole of a table that grows with the fleet", async () => {
  const { file, remove } = await createMigratedFile();
  onTestFinished(remove);
  const prepared = new Set<string>();
  const store = await openSqliteStore({
    file,
    async driver(path) {
      const database = new Sqlite(path, { timeout: 0 });
      const prepare = database.prepare.bind(database);
      database.prepare = ((sql: string) => {
        prepared.add(sql);
        return prepare(sql);
      }) as never;
      return database as unknown as Database;
    },
  });
  onTestFinished(() => store.close());
  const database = new Sqlite(file, { readonly: true });
  onTestFinished(() => void database.close());
  const queries = [...prepared].filter((sql) =>
    /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(sql),
  );
  expect(queries.length).toBeGreaterThan(200);
  const scanning = queries.filter(
    (sql) =>
      !bounded.some((pattern) => pattern.test(sql.replaceAll(/\s+/g, " "))) &&
      scansOf(database, sql).some((table) => !small.has(table)),
  );
  expect(scanning).toEqual([]);
});
