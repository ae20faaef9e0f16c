import { join } from "node:path";
import Sqlite from "better-sqlite3";
import pg from "pg";

/** What a server stores: bytes on disk after a checkpoint, and rows by table. Tables of measurements are not counted. */
export interface StorageUse {
  readonly bytes: number;
  readonly rows: ReadonlyMap<string, number>;
}

/** A server's storage: a folder of SQLite files, or the URL of a Postgres database. */
export interface StoragePlace {
  readonly folder: string;
  readonly url: string | null;
}

const isCounted = (table: string) => !/telemetry/.test(table);

const sqliteFiles = ["gateway.db", "accounts.db"];

function readSqlite(folder: string): StorageUse {
  const rows = new Map<string, number>();
  let bytes = 0;
  for (const file of sqliteFiles) {
    const database = new Sqlite(join(folder, file), { readonly: true, fileMustExist: true });
    const pragma = (name: string) => Number(database.pragma(name, { simple: true }));
    // Counts pages of the latest commit, also those that are still in the log. Free pages will be reused.
    bytes += (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
    const tables = database
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all();
    for (const { name } of tables.filter((table) => isCounted(table.name))) {
      const counted = database.prepare<[], { n: number }>(`SELECT count(*) AS n FROM "${name}"`);
      rows.set(name, counted.get()?.n ?? 0);
    }
    database.close();
  }
  return { bytes, rows };
}

async function readPostgres(url: string): Promise<StorageUse> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string; bytes: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name, pg_total_relation_size(c.oid) AS bytes
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const rows = new Map<string, number>();
    for (const { name } of tables.rows.filter((table) => isCounted(table.name))) {
      const counted = await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${name}`);
      rows.set(name, Number(counted.rows[0]?.n));
    }
    const bytes = tables.rows.reduce((sum, table) => sum + Number(table.bytes), 0);
    return { bytes, rows };
  } finally {
    await client.end();
  }
}

export const readStorageUse = async ({ folder, url }: StoragePlace): Promise<StorageUse> =>
  url === null ? readSqlite(folder) : readPostgres(url);
