import { type Session, statement } from "../database/statement.js";
import { mark, writeChanges } from "./transition-writer.js";

interface At {
  readonly deviceId: string;
  readonly now: number;
}

const end = (undelivered: "expired" | "cancelled", condition: string) =>
  statement<At, object>(
    `UPDATE device_gateway.device_commands SET
       state = CASE state WHEN 'pending' THEN '${undelivered}' ELSE 'unknown' END,
       due_at = NULL, ended_at = @now::bigint
     WHERE device_id = @deviceId AND ${condition}
     RETURNING 1`,
  );

/**
 * Ends the commands of a device that are due. This and the other functions need the lock of the device's row, taken by an
 * earlier statement of the transaction: a statement does not see commands that were sent while it waited for the lock.
 */
export const endDueCommands = end("expired", "due_at <= @now::bigint");

/** Ends all open commands of a device that was claimed, released or revoked. The caller clears `commands_waiting`. */
export const endOpenCommands = end("cancelled", "due_at IS NOT NULL");

const endDelivered = end("cancelled", "due_at IS NOT NULL AND state = 'delivered'");

const update = statement<At, object>(
  `WITH ${mark},
   changed AS (
     UPDATE device_gateway.devices AS d SET commands_waiting = NOT d.commands_waiting
     WHERE d.device_id = @deviceId AND d.commands_waiting <> EXISTS (
       SELECT FROM device_gateway.device_commands AS c
       WHERE c.device_id = @deviceId AND c.due_at IS NOT NULL AND c.expires_at > @now::bigint
     ) RETURNING d.device_id
   ), fed AS (${writeChanges("changed", "@now::bigint")})
   SELECT FROM changed`,
);

/** Sets the device's `commands_waiting`, and writes a change if it differs. */
export async function setCommandsWaiting(session: Session, at: At): Promise<void> {
  await update(session, at);
}

/** Ends the delivered commands of a device that registers again. */
export async function endDeliveredCommands(session: Session, at: At): Promise<void> {
  if ((await endDelivered(session, at)).length > 0) await setCommandsWaiting(session, at);
}
