import Database from "better-sqlite3";
import { migrate } from "./migrate.js";

/** Returns the schema of a new database as SQL. `schema.sql` must equal it. */
export function dumpSchema(): string {
  const database = new Database(":memory:");
  try {
    const { to } = migrate(database as never);
    const objects = database
      .prepare<[], string>(
        `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         ORDER BY tbl_name, type DESC, name`,
      )
      .pluck()
      .all();
    const header = `-- Generated from src/migrations: do not edit. Schema version ${to}.`;
    return `${[header, ...objects.map((sql) => `${sql};`)].join("\n\n")}\n`;
  } finally {
    database.close();
  }
}
