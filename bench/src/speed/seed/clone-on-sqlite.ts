import Database from "better-sqlite3";
import { dayMs } from "../../fleet.js";
import type { CloneSet } from "./clone-set.js";

/** Copies the templates' rows into a new database, once for each clone. */
export function cloneOnSqlite(
  templatesFile: string,
  file: string,
  sets: readonly CloneSet[],
  progress: (text: string) => void,
): void {
  const database = new Database(file);
  // Nobody else uses the database, and after a crash it is discarded.
  database.pragma("journal_mode = OFF");
  database.pragma("synchronous = OFF");
  database.pragma("cache_size = -200000");
  database.prepare("ATTACH ? AS source").run(templatesFile);
  database.exec(`
    CREATE TEMP TABLE clones (
      number INTEGER PRIMARY KEY, template TEXT NOT NULL, template_number INTEGER, device_id TEXT NOT NULL
    );
    CREATE INDEX temp.clones_by_template ON clones (template_number, number, device_id);
    CREATE INDEX source.records_by_time ON telemetry (at);`);
  const addClones = database.prepare<[string, string]>(
    `INSERT INTO temp.clones (template, template_number, device_id)
     SELECT d.device_id, d.number, j.value FROM source.devices AS d, json_each(?) AS j
     WHERE d.device_id = ?`,
  );
  const columnsOf = (table: string) =>
    database.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table);
  const deviceColumns = columnsOf("devices").filter(
    (name) => name !== "device_id" && name !== "number",
  );

  database.transaction(() => {
    for (const { template, deviceIds } of sets) addClones.run(JSON.stringify(deviceIds), template);
    database.exec(`
      INSERT INTO devices (device_id, number, ${deviceColumns.join(", ")})
        SELECT c.device_id, iif(template_number IS NULL, NULL, c.number), ${deviceColumns.map((name) => `d.${name}`).join(", ")}
        FROM temp.clones AS c JOIN source.devices AS d ON d.device_id = c.template ORDER BY c.number;
      INSERT INTO telemetry_senders (device, last_at)
        SELECT c.number, s.last_at
        FROM temp.clones AS c JOIN source.telemetry_senders AS s ON s.device = c.template_number;
      INSERT INTO security_events (kind, at, device_id, actor, details)
        SELECT e.kind, e.at, c.device_id, e.actor, e.details
        FROM temp.clones AS c JOIN source.security_events AS e ON e.device_id = c.template;
      INSERT INTO telemetry_shapes SELECT * FROM source.telemetry_shapes;`);
  })();

  // Records are inserted in time order over all devices, as a fleet sends them, not device by device.
  const addRecords = database.prepare<[number, number]>(
    `INSERT INTO telemetry (device, at, received_at, seq, timed, shape, content)
     SELECT c.number, r.at, r.received_at, r.seq, r.timed, r.shape, r.content
     FROM source.telemetry AS r INDEXED BY records_by_time
     CROSS JOIN temp.clones AS c ON c.template_number = r.device
     WHERE r.at >= ? AND r.at < ? ORDER BY r.at`,
  );
  const addHours = database.prepare<[number, number]>(
    `INSERT INTO telemetry_rollups (device, hour, shape, content)
     SELECT c.number, h.hour, h.shape, h.content
     FROM source.telemetry_rollups AS h INDEXED BY telemetry_rollups_by_hour
     CROSS JOIN temp.clones AS c ON c.template_number = h.device
     WHERE h.hour >= ? AND h.hour < ? ORDER BY h.hour`,
  );
  const { first, last } = database
    .prepare<[], { first: number | null; last: number | null }>(
      "SELECT min(at) AS first, max(at) AS last FROM source.telemetry",
    )
    .get() ?? { first: null, last: null };
  if (first !== null && last !== null) {
    for (let day = Math.floor(first / dayMs) * dayMs; day <= last; day += dayMs) {
      database.transaction(() => {
        addRecords.run(day, day + dayMs);
        addHours.run(day, day + dayMs);
      })();
      const left = Math.floor((last - day) / dayMs);
      if (left % 30 === 0) progress(`${left} days to go`);
    }
  }
  database.exec(`
    INSERT INTO telemetry_shape_uses (device, shape, kind, used_to)
      SELECT c.number, u.shape, u.kind,
        iif(u.kind = 'record', (SELECT max(position) FROM telemetry), u.used_to)
      FROM source.telemetry_shape_uses AS u JOIN temp.clones AS c ON c.template_number = u.device;
    UPDATE telemetry_watermark SET position = (SELECT coalesce(max(position), 0) FROM telemetry);
    UPDATE telemetry_counters SET last_device = (SELECT coalesce(max(number), 0) FROM devices);
    ANALYZE;`);
  database.pragma("journal_mode = WAL");
  database.close();
}
