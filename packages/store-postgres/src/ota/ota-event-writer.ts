import type { OtaEvent } from "@device-gateway/core/store";
import { type Session, statement } from "../database/statement.js";

const insert = statement<OtaEvent, object>(
  `INSERT INTO device_gateway.ota_events (device_id, created_at, source, state, offered_version,
     from_version, last_result, last_check_succeeded, update_available, update_applied, progress,
     message)
   VALUES (@deviceId, @createdAt, @source, @state, @offeredVersion, @fromVersion, @lastResult,
     @lastCheckSucceeded, @updateAvailable, @updateApplied, @progress, @message)`,
);

/**
 * Writes an OTA event, in the transaction that makes the change. The device's activity row must be
 * locked, so that ids are in commit order.
 */
export async function writeOtaEvent(session: Session, event: OtaEvent): Promise<void> {
  await insert(session, event);
}
