import { Client } from "pg";
import { dayMs } from "../../fleet.js";
import type { CloneSet } from "./clone-set.js";

const cloned = [
  "devices",
  "device_activity",
  "security_events",
  "telemetry",
  "telemetry_rollups",
  "telemetry_shape_uses",
];

/** Replaces the templates' rows by their clones' rows, in the same database. */
export async function cloneOnPostgres(
  connectionString: string,
  sets: readonly CloneSet[],
  progress: (text: string) => void,
): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    // Nobody else uses the database, and after a crash it is discarded.
    await client.query("SET synchronous_commit = off; SET search_path = device_gateway");
    await client.query("CREATE SCHEMA source");
    for (const table of cloned) {
      await client.query(`CREATE TABLE source.${table} AS TABLE device_gateway.${table}`);
      await client.query(`TRUNCATE device_gateway.${table}`);
    }
    await client.query(`TRUNCATE device_gateway.changes, device_gateway.telemetry_open_hours;
      CREATE INDEX ON source.telemetry (at);
      CREATE TABLE source.clones (
        number integer PRIMARY KEY, ordinal bigint GENERATED ALWAYS AS IDENTITY, template text NOT NULL,
        template_number integer NOT NULL, device_id text NOT NULL)`);
    await addDevices(client, sets);
    await addTelemetry(client, progress);
    await client.query(`INSERT INTO telemetry_shape_uses (device, shape, kind, used_to)
      SELECT c.number, u.shape, u.kind, u.used_to
      FROM source.telemetry_shape_uses AS u JOIN source.clones AS c ON c.template_number = u.device`);
    await client.query("DROP SCHEMA source CASCADE");
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
}

async function addDevices(client: Client, sets: readonly CloneSet[]): Promise<void> {
  for (const { template, deviceIds } of sets) {
    await client.query(
      `WITH given AS (
         INSERT INTO device_activity (device_id, last_seen_at, last_telemetry_at, ota_fingerprint, ota_standing)
         SELECT id, a.last_seen_at, a.last_telemetry_at, a.ota_fingerprint, a.ota_standing
         FROM source.device_activity AS a, unnest($2::text[]) WITH ORDINALITY AS ids (id, n)
         WHERE a.device_id = $1 ORDER BY n RETURNING number, device_id
       )
       INSERT INTO source.clones (number, template, template_number, device_id)
       SELECT given.number, $1, a.number, given.device_id
       FROM given, source.device_activity AS a WHERE a.device_id = $1`,
      [template, deviceIds],
    );
  }
  const { rows } = await client.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = 'device_gateway' AND table_name = 'devices' AND column_name <> 'device_id'`,
  );
  const names = rows.map(({ name }) => name);
  await client.query(`CREATE INDEX ON source.clones (template_number, number);
    ANALYZE source.clones; ANALYZE source.telemetry;
    INSERT INTO devices (device_id, ${names.join(", ")})
      SELECT c.device_id, ${names.map((name) => `d.${name}`).join(", ")}
      FROM source.clones AS c JOIN source.devices AS d ON d.device_id = c.template ORDER BY c.number;
    INSERT INTO security_events (id, kind, at, device_id, actor, details)
      SELECT nextval('transition_ids'), e.kind, e.at, c.device_id, e.actor, e.details
      FROM source.clones AS c JOIN source.security_events AS e ON e.device_id = c.template`);
}

/** Inserts records in time order over all devices, as a fleet sends them, not device by device. */
async function addTelemetry(client: Client, progress: (text: string) => void): Promise<void> {
  const { rows } = await client.query<{ first: string | null; last: string | null }>(
    "SELECT min(at) AS first, max(at) AS last FROM source.telemetry",
  );
  const [{ first, last } = { first: null, last: null }] = rows;
  if (first === null || last === null) return;
  const days = [Math.floor(Number(first) / dayMs), Math.floor(Number(last) / dayMs)] as const;
  for (let day = days[0]; day <= days[1]; day++) {
    const range = [day * dayMs, (day + 1) * dayMs];
    await client.query("SELECT make_telemetry_partition($1)", [day]);
    await client.query(
      `INSERT INTO telemetry (position, at, received_at, seq, device, shape, timed, content)
       SELECT nextval('telemetry_positions'), at, received_at, seq, number, shape, timed, content
       FROM (
         SELECT r.*, c.number FROM source.telemetry AS r
         JOIN source.clones AS c ON c.template_number = r.device
         WHERE r.at >= $1 AND r.at < $2 ORDER BY r.at, c.number
       ) AS arrived`,
      range,
    );
    await client.query(
      `INSERT INTO telemetry_rollups (device, hour, shape, content)
       SELECT c.number, h.hour, h.shape, h.content FROM source.telemetry_rollups AS h
       JOIN source.clones AS c ON c.template_number = h.device
       WHERE h.hour >= $1 AND h.hour < $2 ORDER BY h.hour, c.number`,
      range,
    );
    if ((days[1] - day) % 30 === 0) progress(`${days[1] - day} days to go`);
  }
}
