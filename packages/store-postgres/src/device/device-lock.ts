import { lockClasses } from "../database/lock-numbers.js";
import { type Session, statement } from "../database/statement.js";

const takeLock = statement<{ deviceId: string }, object>(
  `SELECT pg_advisory_xact_lock(${lockClasses.deviceId}, hashtext(@deviceId))`,
);

/**
 * Locks a device id, which may have no row, until the transaction ends. Nobody else can register or
 * erase it meanwhile.
 */
export async function lockId(session: Session, deviceId: string): Promise<void> {
  await takeLock(session, { deviceId });
}
