import { lockClasses } from "./commit-order.js";
import { type Session, statement } from "./statement.js";

const takeLock = statement<{ deviceId: string }, object>(
  `SELECT pg_advisory_xact_lock(${lockClasses.deviceId}, hashtext(@deviceId))`,
);
const takeRows = statement<{ deviceIds: readonly string[] }, { deviceId: string }>(
  `SELECT device_id AS "deviceId" FROM device_gateway.device_activity
   WHERE device_id = ANY (@deviceIds::text[]) ORDER BY device_id FOR UPDATE`,
);

/** Keeps others from registering or erasing an id, which may have no row, until the transaction ends. */
export async function lockId(session: Session, deviceId: string): Promise<void> {
  await takeLock(session, { deviceId });
}

/**
 * Keeps others from appending to devices until the transaction ends, and says which of them there
 * are. Always in the order of their ids, so that two batches never wait for each other.
 */
export async function lockActivity(
  session: Session,
  deviceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await takeRows(session, { deviceIds });
  return new Set(rows.map(({ deviceId }) => deviceId));
}
