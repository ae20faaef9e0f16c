import type { GatewayStore } from "@device-gateway/core/store";
import Database from "better-sqlite3";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createMigratedFile } from "./migrated-file.js";

/** Stores on one file that stay open between tests. */
export interface SharedStores {
  /** Deletes the rows of the previous test. Returns the stores; opens those again that the test closed. */
  open(): Promise<readonly GatewayStore[]>;
  remove(): Promise<void>;
}

/** Tables with a single row. It holds what open stores rely on, such as the highest number of a device. */
const countingTables = [
  "pruned_changes",
  "pruned_events",
  "telemetry_counters",
  "telemetry_watermark",
];

/** Returns a function that deletes all rows. Ids continue, except those of releases, because open stores cache some ids. */
function prepareEmptying(database: Database.Database): () => void {
  // Rows are deleted in any order.
  database.pragma("foreign_keys = OFF");
  const tables = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    )
    .pluck()
    .all();
  const statements = [
    ...tables
      .filter((table) => !countingTables.includes(table))
      .map((table) => `DELETE FROM ${table}`),
    "UPDATE pruned_changes SET up_to = 0",
    "UPDATE pruned_events SET up_to = 0",
    "UPDATE telemetry_watermark SET pruned_before = 0",
    "DELETE FROM sqlite_sequence WHERE name = 'releases'",
  ].map((sql) => database.prepare(sql));
  const empty = database.transaction(() => {
    for (const statement of statements) statement.run();
  });
  return () => empty.immediate();
}

/** Copies the parts whose methods tests replace. */
const toCopy = (store: GatewayStore): GatewayStore => ({
  ...store,
  devices: { ...store.devices },
  telemetry: { ...store.telemetry },
  releases: { ...store.releases },
  changes: { ...store.changes },
});

/** Opens stores that many tests share, because preparing their statements takes longer than most tests. */
export async function openSharedStores(count: number): Promise<SharedStores> {
  const { file, remove } = await createMigratedFile();
  const database = new Database(file);
  const empty = prepareEmptying(database);
  const stores: GatewayStore[] = [];
  return {
    async open() {
      empty();
      for (let n = 0; n < count; n++) {
        const isOpen = await stores[n]?.ping().then(
          () => true,
          () => false,
        );
        if (!isOpen) stores[n] = await openSqliteStore({ file });
      }
      return stores.map(toCopy);
    },
    async remove() {
      for (const store of stores) await store.close();
      database.close();
      remove();
    },
  };
}
