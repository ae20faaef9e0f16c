import { updateNow } from "@device-gateway/core/store";
import { prepareChangeWriter } from "../database/change-feed.js";
import type { Database } from "../database/database.js";

interface At {
  readonly deviceId: string;
  readonly now: number;
}

/** Changes of a device's commands that other transitions make in their own transaction. */
export interface CommandTransitions {
  /** Ends the commands that are due. */
  endDue(deviceId: string, now: number): void;
  /** Ends all open commands of a device that was claimed, released or revoked. */
  endOpen(deviceId: string, now: number): void;
  /** Ends the delivered commands of a device that registers again. */
  endDelivered(deviceId: string, now: number): void;
  /** Ends the open "update now" request of a device that gets another one. */
  endRequest(deviceId: string, now: number): void;
  /** Sets the device's `commands_waiting` and `ota_command_open`, and writes a change if they differ. */
  setWaiting(deviceId: string, now: number): void;
}

/** Prepares the transitions. Run them in the transaction that makes the change. */
export function prepareCommandTransitions(database: Database): CommandTransitions {
  const writeChange = prepareChangeWriter(database);
  const prepareEnd = (undelivered: "expired" | "cancelled", condition: string) =>
    database.prepare<[At]>(
      `UPDATE device_commands SET
         state = CASE state WHEN 'pending' THEN '${undelivered}' ELSE 'unknown' END,
         due_at = NULL, ended_at = min(due_at, @now)
       WHERE device_id = @deviceId AND ${condition}`,
    );
  const endDue = prepareEnd("expired", "due_at <= @now");
  const endOpen = prepareEnd("cancelled", "due_at IS NOT NULL");
  const endDelivered = prepareEnd("cancelled", "due_at IS NOT NULL AND state = 'delivered'");
  const endRequest = prepareEnd("cancelled", `due_at IS NOT NULL AND name = '${updateNow}'`);
  const isOpen = (condition: string) =>
    `EXISTS (SELECT 1 FROM device_commands AS c WHERE c.device_id = devices.device_id
       AND c.due_at IS NOT NULL AND ${condition})`;
  const waits = isOpen("c.expires_at > @now");
  const isRequested = isOpen(`c.name = '${updateNow}'`);
  const update = database.prepare<[At]>(
    `UPDATE devices SET commands_waiting = ${waits}, ota_command_open = ${isRequested}
     WHERE device_id = @deviceId
       AND (commands_waiting <> ${waits} OR ota_command_open <> ${isRequested})`,
  );
  const setWaiting = (deviceId: string, now: number) => {
    if (update.run({ deviceId, now }).changes > 0) writeChange(deviceId, now);
  };
  return {
    setWaiting,
    endRequest: (deviceId, now) => void endRequest.run({ deviceId, now }),
    endDue: (deviceId, now) => void endDue.run({ deviceId, now }),
    endOpen(deviceId, now) {
      if (endOpen.run({ deviceId, now }).changes > 0) setWaiting(deviceId, now);
    },
    endDelivered(deviceId, now) {
      if (endDelivered.run({ deviceId, now }).changes > 0) setWaiting(deviceId, now);
    },
  };
}
