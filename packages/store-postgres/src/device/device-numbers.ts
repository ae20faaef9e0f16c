import { markOf } from "../database/commit-order.js";
import { keptStatement, type Session, statement } from "../database/statement.js";

/** What telemetry calls a device: a number, since it stands in every row. */
interface NumberRow {
  readonly deviceId: string;
  readonly number: number;
}

/** A device that is locked, with the generation of the uses of its shapes (`ShapeUses`). */
export interface LockedDevice {
  readonly number: number;
  readonly generation: number;
}

const columns = `device_id AS "deviceId", number`;
const generation = "shape_generation AS generation";
const find = statement<{ deviceIds: readonly string[] }, NumberRow>(
  `SELECT ${columns} FROM device_gateway.device_activity
   WHERE device_id = ANY (@deviceIds::text[])`,
);
const lock = statement<{ deviceIds: readonly string[] }, NumberRow>(
  `SELECT ${columns} FROM device_gateway.device_activity
   WHERE device_id = ANY (@deviceIds::text[]) ORDER BY device_id FOR UPDATE`,
);
const lockToAppend = keptStatement<{ deviceIds: readonly string[] }, NumberRow & LockedDevice>(
  `WITH mark AS MATERIALIZED (${markOf("telemetry_positions")})
   SELECT ${columns}, ${generation} FROM device_gateway.device_activity, mark
   WHERE device_id = ANY ((SELECT @deviceIds::text[])::text[])
   ORDER BY device_id FOR UPDATE OF device_activity`,
);
const lockByNumber = statement<{ devices: readonly number[] }, LockedDevice>(
  `SELECT number, ${generation} FROM device_gateway.device_activity
   WHERE number = ANY (@devices::integer[]) ORDER BY device_id FOR UPDATE`,
);

const toMap = (rows: readonly NumberRow[]) =>
  new Map(rows.map(({ deviceId, number }) => [deviceId, number]));

/** The numbers of those devices that there are. */
export async function findNumbers(
  session: Session,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return toMap(await find(session, { deviceIds }));
}

/**
 * The same, and keeps others from appending to the devices, and from erasing them, until the
 * transaction ends. Always in the order of their ids, so that two batches never wait for each other.
 */
export async function lockDevices(
  session: Session,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return toMap(await lock(session, { deviceIds }));
}

/** The same for a transaction that gives out positions, with the mark that it needs before it does. */
export async function lockToAppendTo(
  session: Session,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, LockedDevice>> {
  const rows = await lockToAppend(session, { deviceIds });
  return new Map(rows.map(({ deviceId, ...device }) => [deviceId, device]));
}

/** Locks devices that are known by their numbers; gives those that still exist, by number. */
export async function lockNumbers(
  session: Session,
  devices: readonly number[],
): Promise<ReadonlyMap<number, LockedDevice>> {
  const rows = await lockByNumber(session, { devices });
  return new Map(rows.map((device) => [device.number, device]));
}
