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
 * Writes an OTA event, inside the transaction of what it tells of. The device's activity is locked,
 * and so its ids are in the order of commit.
 */
export async function writeOtaEvent(session: Session, event: OtaEvent): Promise<void> {
  await insert(session, event);
}
