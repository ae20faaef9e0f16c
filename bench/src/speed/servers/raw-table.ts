import Database from "better-sqlite3";
import { Client } from "pg";
import type { StorePlace } from "../store/store-place.js";

export interface RawRow {
  readonly deviceId: string;
  readonly at: number;
  readonly receivedAt: number;
  readonly body: string;
}

/** A table with an index by device and time, and no checks. */
export interface RawTable {
  /** Inserts the rows of several requests in one commit. */
  commit(requests: readonly (readonly RawRow[])[]): void | Promise<void>;
  count(): unknown;
}

function openOnSqlite(file: string): RawTable {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec(`
    CREATE TABLE telemetry (
      position INTEGER PRIMARY KEY,
      device_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      body TEXT NOT NULL
    );
    CREATE INDEX telemetry_by_device ON telemetry (device_id, at);
  `);
  const insert = database.prepare<[string, number, number, string]>(
    "INSERT INTO telemetry (device_id, at, received_at, body) VALUES (?, ?, ?, ?)",
  );
  return {
    commit: database.transaction((requests: readonly (readonly RawRow[])[]) => {
      for (const rows of requests) {
        for (const { deviceId, at, receivedAt, body } of rows) {
          insert.run(deviceId, at, receivedAt, body);
        }
      }
    }),
    count: () => database.prepare("SELECT count(*) FROM telemetry").pluck().get(),
  };
}

/** Uses one prepared statement per request, with its rows as arrays: the fewest possible messages. */
async function openOnPostgres(connectionString: string): Promise<RawTable> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(`
    CREATE TABLE telemetry (
      position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      device_id text NOT NULL,
      at bigint NOT NULL,
      received_at bigint NOT NULL,
      body text NOT NULL
    );
    CREATE INDEX telemetry_by_device ON telemetry (device_id, at);
  `);
  const text = `INSERT INTO telemetry (device_id, at, received_at, body)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[])`;
  return {
    async commit(requests) {
      await client.query("BEGIN");
      for (const rows of requests) {
        const values = [
          rows.map(({ deviceId }) => deviceId),
          rows.map(({ at }) => at),
          rows.map(({ receivedAt }) => receivedAt),
          rows.map(({ body }) => body),
        ];
        await client.query({ name: "insert", text, values });
      }
      await client.query("COMMIT");
    },
    async count() {
      const { rows } = await client.query<{ count: string }>("SELECT count(*) FROM telemetry");
      return Number(rows[0]?.count);
    },
  };
}

export const openRawTable = async (place: StorePlace): Promise<RawTable> =>
  place.kind === "sqlite" ? openOnSqlite(place.file) : openOnPostgres(place.url);
