import { lockClasses } from "../database/commit-order.js";
import { type Session, statement } from "../database/statement.js";

const takeLock = statement<{ deviceId: string }, object>(
  `SELECT pg_advisory_xact_lock(${lockClasses.deviceId}, hashtext(@deviceId))`,
);

/** Keeps others from registering or erasing an id, which may have no row, until the transaction ends. */
export async function lockId(session: Session, deviceId: string): Promise<void> {
  await takeLock(session, { deviceId });
}
