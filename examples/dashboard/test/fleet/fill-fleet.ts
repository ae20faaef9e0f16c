import { join } from "node:path";
import Sqlite from "better-sqlite3";

const kinds = ["boiler", "pump", "tank", "field", "roof"];

/**
 * Copies a device with its owner many times, directly in the database: ten thousand claims would
 * compute ten thousand memory-hard hashes. Every third copy is offline.
 */
export function fillFleet(dataDir: string, like: string, count: number): void {
  const database = new Sqlite(join(dataDir, "gateway.db"));
  const columns = (database.pragma("table_info(devices)") as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => !["device_id", "name", "last_seen_at", "number"].includes(name));
  database
    .prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
       INSERT INTO devices (device_id, name, last_seen_at, number, ${columns.join(", ")})
       SELECT printf('gw-%05d', n),
              json_extract(?, '$[' || (n % 5) || ']') || ' ' || n,
              CASE WHEN n % 3 = 0 THEN last_seen_at - 86400000 ELSE last_seen_at END,
              -- A device with a number counts as one that sends telemetry.
              CASE WHEN n % 3 = 0 THEN NULL ELSE number END,
              ${columns.join(", ")}
       FROM devices, numbers WHERE device_id = ?`,
    )
    .run(count, JSON.stringify(kinds), like);
  database.close();
}
