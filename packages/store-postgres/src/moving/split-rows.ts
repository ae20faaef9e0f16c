import type { Client } from "pg";
import { ask, inTransaction, toFenced } from "./mover-connection.js";
import type { RowsOf, Table } from "./tables.js";

/** Tables whose rows the home keeps. */
const ofHome = new Set([
  "artifact_pieces",
  "artifact_uploads",
  "artifacts",
  "budget_tries",
  "followers",
  "metric_descriptions",
  "pruned_events",
  "releases",
  "security_events",
  "webhook_attempts",
  "webhook_deliveries",
  "webhooks",
]);

/** Tables whose rows go to the cell of the column `device_id`. Rows without a device stay at home. */
const ofDevices = new Set([
  "alert_notifications",
  "alert_rules",
  "alert_watches",
  "alerts",
  "alerts_erased",
  "blocked_ids",
  "device_activity",
  "device_commands",
  "device_metadata",
  "device_metadata_index",
  "device_updates",
  "devices",
  "ota_events",
  "ota_events_erased",
  "telemetry_refusals",
]);

/** Tables whose rows go to the cell of the device with the number in the column `device`. */
const ofNumbers = new Set([
  "telemetry_crowds",
  "telemetry_erased",
  "telemetry_keys",
  "telemetry_open_hours",
  "telemetry_rollups",
  "telemetry_shape_uses",
]);

/**
 * Tables that start empty or with the rows of the migrations: the change feed, because all servers restart, and tables
 * whose content belongs to one store.
 */
const ofStores = new Set([
  "changes",
  "imported_events",
  "key_check",
  "pruned_changes",
  "replica_mark",
  "schema_version",
]);

/** Ids that are assigned to cells in one round trip. */
const idsPerStep = 10_000;

/** @throws {Error} if an earlier call has assigned a device to another cell. */
async function checkCells(source: Client, ids: string, cellOf: (deviceId: string) => number) {
  for (let after = ""; ; ) {
    const page = await ask<{ id: string; cell: number }>(
      source,
      `SELECT device_id AS id, cell FROM ${ids} WHERE device_id > $1
       ORDER BY device_id LIMIT ${idsPerStep}`,
      [after],
    );
    if (page.some(({ id, cell }) => cellOf(id) !== cell)) {
      throw new Error(
        "The split was begun with another number of cells. Run it again with that number, or undo it with that number first.",
      );
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/**
 * Stores the cell of each device in a table beside the fenced ones, unless an earlier call has.
 * @throws {Error} if an earlier call has stored other cells.
 */
export async function assignCells(
  source: Client,
  schema: string,
  cellOf: (deviceId: string) => number,
): Promise<void> {
  const fenced = toFenced(schema);
  const [found] = await ask(
    source,
    "SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'split_ids'",
    [fenced],
  );
  if (found !== undefined) {
    await checkCells(source, `${fenced}.split_ids`, cellOf);
    return;
  }
  const each = [...ofDevices].map((table) => `SELECT device_id FROM ${fenced}.${table}`);
  await inTransaction(source, async () => {
    await source.query(`CREATE TABLE ${fenced}.split_ids
        (device_id text COLLATE "C" PRIMARY KEY, number integer, cell integer NOT NULL);
      CREATE TEMP TABLE found_ids (device_id text COLLATE "C" PRIMARY KEY) ON COMMIT DROP;
      INSERT INTO found_ids SELECT device_id FROM (${each.join(" UNION ")}) AS ids
      WHERE device_id <> ''`);
    for (let after = ""; ; ) {
      const page = await ask<{ id: string }>(
        source,
        `SELECT device_id AS id FROM found_ids WHERE device_id > $1
         ORDER BY device_id LIMIT ${idsPerStep}`,
        [after],
      );
      const last = page.at(-1);
      if (last === undefined) break;
      const ids = page.map(({ id }) => id);
      await source.query(
        `INSERT INTO ${fenced}.split_ids
         SELECT ids.id, a.number, ids.cell FROM unnest($1::text[], $2::integer[]) AS ids (id, cell)
         LEFT JOIN ${fenced}.device_activity AS a ON a.device_id = ids.id`,
        [ids, ids.map(cellOf)],
      );
      after = last.id;
    }
    await source.query(`ANALYZE ${fenced}.split_ids`);
  });
}

/** Whether each row of a table goes to exactly one of the home and the cells. */
export const isDivided = ({ name, bounds }: Table): boolean =>
  bounds !== null ||
  ofNumbers.has(name) ||
  ([ofHome, ofDevices].some((some) => some.has(name)) &&
    name !== "releases" &&
    name !== "alert_rules");

const select = ({ columns }: Table, from: string, condition: string) =>
  `SELECT ${columns} FROM ${from} WHERE ${condition}`;

/** The home keeps what belongs to no device. */
export const rowsOfHome: RowsOf = (table, from) => {
  if (ofHome.has(table.name)) return select(table, from, "true");
  // A rule about no single device has no id there, an alert or watch of the fleet has an empty one.
  if (/^alert/.test(table.name)) return select(table, from, "coalesce(device_id, '') = ''");
  return null;
};

/** A cell gets its devices, and copies of all releases and of the rules that judge all devices. */
export const toRowsOfCell =
  (schema: string, cell: number): RowsOf =>
  (table, from) => {
    const ids = `${toFenced(schema)}.split_ids`;
    // Data of erased devices, which is yet to be deleted, goes to cell 0.
    const isOfCell = (number: string) =>
      cell === 0
        ? `NOT EXISTS (SELECT FROM ${ids} WHERE ${ids}.number = ${number} AND cell <> 0)`
        : `${number} IN (SELECT number FROM ${ids} WHERE cell = ${cell})`;
    const { name, bounds } = table;
    if (ofHome.has(name)) return name === "releases" ? select(table, from, "true") : null;
    if (ofStores.has(name)) return null;
    if (ofDevices.has(name)) {
      const own = `device_id IN (SELECT device_id FROM ${ids} WHERE cell = ${cell})`;
      return select(table, from, name === "alert_rules" ? `device_id IS NULL OR ${own}` : own);
    }
    if (ofNumbers.has(name) || bounds !== null) {
      return select(table, `${from} AS moving`, isOfCell("moving.device"));
    }
    switch (name) {
      case "telemetry_marks":
        return select(table, from, "true");
      case "telemetry_shapes": {
        const uses = `${toFenced(schema)}.telemetry_shape_uses AS moving`;
        return select(
          table,
          from,
          `id IN (SELECT shape FROM ${uses} WHERE ${isOfCell("moving.device")})`,
        );
      }
      // The tallies of all cells are added, and only those of the latest round count.
      case "rollout_tallies":
        return cell === 0
          ? select(table, from, "true")
          : `SELECT 0::bigint AS failed, release_id, round, 0::bigint AS succeeded FROM ${from}`;
      default:
        throw new Error(`The split does not know where the rows of the table ${name} belong.`);
    }
  };
