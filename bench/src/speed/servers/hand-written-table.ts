import Database from "better-sqlite3";
import { Pool } from "pg";
import type { StorePlace } from "../store/store-place.js";

/** The table of the hand-written stack. */
export interface HandWrittenTable {
  /** Resolves when the record is on disk. */
  insert(deviceId: string, receivedAt: number, data: string): void | Promise<void>;
  count(): unknown;
}

function openOnSqlite(file: string): HandWrittenTable {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec(`
    CREATE TABLE telemetry (
      id INTEGER PRIMARY KEY,
      device_id TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      data TEXT NOT NULL
    );
    CREATE INDEX telemetry_by_device ON telemetry (device_id, received_at);
  `);
  const insert = database.prepare<[string, number, string]>(
    "INSERT INTO telemetry (device_id, received_at, data) VALUES (?, ?, ?)",
  );
  return {
    insert: (...row) => void insert.run(...row),
    count: () => database.prepare("SELECT count(*) FROM telemetry").pluck().get(),
  };
}

/** Uses a default pool of ten and a named statement, which is planned once per connection. */
async function openOnPostgres(connectionString: string): Promise<HandWrittenTable> {
  const pool = new Pool({ connectionString, max: 10 });
  // `end` does not wait until the connections are closed. The removal of the database may end them first.
  pool.on("error", () => {});
  await pool.query(`
    CREATE TABLE telemetry (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      device_id text NOT NULL,
      received_at timestamptz NOT NULL,
      data jsonb NOT NULL
    );
    CREATE INDEX telemetry_by_device ON telemetry (device_id, received_at);
  `);
  return {
    async insert(deviceId, receivedAt, data) {
      const text = "INSERT INTO telemetry (device_id, received_at, data) VALUES ($1, $2, $3)";
      await pool.query({ name: "insert", text, values: [deviceId, new Date(receivedAt), data] });
    },
    async count() {
      const { rows } = await pool.query<{ count: string }>("SELECT count(*) FROM telemetry");
      return Number(rows[0]?.count);
    },
  };
}

export const openHandWrittenTable = async (place: StorePlace): Promise<HandWrittenTable> =>
  place.kind === "sqlite" ? openOnSqlite(place.file) : openOnPostgres(place.url);
