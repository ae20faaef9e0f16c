import { updateNow } from "@device-gateway/core/store";
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
       due_at = NULL, ended_at = least(due_at, @now::bigint)
     WHERE device_id = @deviceId AND ${condition}
     RETURNING 1`,
  );

/**
 * Ends the commands of a device that are due. This and the other functions need the lock of the device's row, taken by an
 * earlier statement of the transaction: a statement does not see commands that were sent while it waited for the lock.
 */
export const endDueCommands = end("expired", "due_at <= @now::bigint");

/** Ends all open commands of a device that was claimed, released or revoked. The caller clears the flags. */
export const endOpenCommands = end("cancelled", "due_at IS NOT NULL");

/** Ends the open "update now" request of a device that gets another one. */
export const endOpenRequest = end("cancelled", `due_at IS NOT NULL AND name = '${updateNow}'`);

const endDelivered = end("cancelled", "due_at IS NOT NULL AND state = 'delivered'");

const update = statement<At, object>(
  `WITH ${mark},
   open AS (
     SELECT coalesce(bool_or(expires_at > @now::bigint), false) AS waits,
       coalesce(bool_or(name = '${updateNow}'), false) AS is_requested
     FROM device_gateway.device_commands WHERE device_id = @deviceId AND due_at IS NOT NULL
   ),
   changed AS (
     UPDATE device_gateway.devices AS d
     SET commands_waiting = open.waits, ota_command_open = open.is_requested FROM open
     WHERE d.device_id = @deviceId
       AND (d.commands_waiting, d.ota_command_open) <> (open.waits, open.is_requested)
     RETURNING d.device_id
   ), fed AS (${writeChanges("changed", "@now::bigint")})
   SELECT FROM changed`,
);

/** Sets the device's `commands_waiting` and `ota_command_open`, and writes a change if they differ. */
export async function setCommandsWaiting(session: Session, at: At): Promise<void> {
  await update(session, at);
}

/** Ends the delivered commands of a device that registers again. */
export async function endDeliveredCommands(session: Session, at: At): Promise<void> {
  if ((await endDelivered(session, at)).length > 0) await setCommandsWaiting(session, at);
}
