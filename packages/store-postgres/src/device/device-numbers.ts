import { markOf } from "../database/changes/commit-order.js";
import { lineage, onPrimary } from "../database/changes/lineage.js";
import { preparedStatement, type Session, statement } from "../database/statement.js";

/** Maps device ids to numbers. Telemetry rows hold the number because it is shorter. */
interface NumberRow {
  readonly deviceId: string;
  readonly number: number;
}

/** A locked device with the generation of its shape uses (`ShapeUses`). Each lineage has generations of its own. */
export interface LockedDevice {
  readonly number: number;
  readonly generation: string;
}

const columns = `device_id AS "deviceId", number`;
const generation = `shape_generation || '@' || ${lineage} AS generation`;
const find = statement<{ deviceIds: readonly string[] }, NumberRow>(
  `SELECT ${columns} FROM device_gateway.device_activity
   WHERE device_id = ANY (@deviceIds::text[])`,
);
const lock = statement<{ deviceIds: readonly string[] }, NumberRow>(
  `SELECT ${columns} FROM device_gateway.device_activity
   WHERE device_id = ANY (@deviceIds::text[]) ORDER BY device_id FOR UPDATE`,
);
const lockToAppend = preparedStatement<{ deviceIds: readonly string[] }, NumberRow & LockedDevice>(
  `WITH mark AS MATERIALIZED (${markOf("telemetry_positions")})
   SELECT ${columns}, ${generation} FROM device_gateway.device_activity, mark
   WHERE device_id = ANY ((SELECT @deviceIds::text[])::text[])
   ORDER BY device_id FOR UPDATE OF device_activity`,
);
const lockByNumber = statement<{ devices: readonly number[] }, LockedDevice>(
  `SELECT number, ${generation} FROM device_gateway.device_activity
   WHERE number = ANY (@devices::integer[]) ORDER BY device_id FOR UPDATE`,
);

const findOne = statement<{ deviceId: string }, { number: number; lineage: string | null }>(
  `SELECT number, ${lineage} AS lineage FROM device_gateway.device_activity
   WHERE device_id = @deviceId`,
);

const toMap = (rows: readonly NumberRow[]) =>
  new Map(rows.map(({ deviceId, number }) => [deviceId, number]));

/** Returns the numbers of the devices that exist. */
export async function findNumbers(
  session: Session,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return toMap(await find(session, { deviceIds }));
}

/** Returns the number of a device with the lineage of the primary. Undefined if the device is unknown. */
export async function findInLineage(
  session: Session,
  deviceId: string,
): Promise<{ readonly number: number; readonly lineage: string } | undefined> {
  const [found] = await findOne(session, { deviceId });
  return found && { number: found.number, lineage: onPrimary(found.lineage) };
}

/**
 * Like `findNumbers`, and locks the devices' activity rows until the transaction ends: nobody else
 * can append to them or erase them. Rows are locked in order of device id, so that two batches
 * cannot deadlock.
 */
export async function lockDevices(
  session: Session,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return toMap(await lock(session, { deviceIds }));
}

/**
 * Like `lockDevices`, for a transaction that assigns positions. It also takes the mark that must
 * come first.
 */
export async function lockToAppendTo(
  session: Session,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, LockedDevice>> {
  const rows = await lockToAppend(session, { deviceIds });
  return new Map(rows.map(({ deviceId, ...device }) => [deviceId, device]));
}

/** Locks devices by number. Returns those that still exist. */
export async function lockNumbers(
  session: Session,
  devices: readonly number[],
): Promise<ReadonlyMap<number, LockedDevice>> {
  const rows = await lockByNumber(session, { devices });
  return new Map(rows.map((device) => [device.number, device]));
}
