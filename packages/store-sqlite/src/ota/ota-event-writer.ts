import type { OtaEvent } from "@device-gateway/core/store";
import type { Database } from "../database/database.js";
import { type Bits, toBits } from "../database/to-bits.js";

/** A row of `ota_events`. */
export type OtaEventRow = Bits<OtaEvent>;

/** Prepares the insert of an OTA event. Run it in the transaction that makes the change. */
export function prepareOtaEventWriter(database: Database): (event: OtaEvent) => void {
  const insert = database.prepare<[OtaEventRow]>(
    `INSERT INTO ota_events (device_id, created_at, source, state, offered_version, from_version,
       last_result, last_check_succeeded, update_available, update_applied, progress, message)
     VALUES (@deviceId, @createdAt, @source, @state, @offeredVersion, @fromVersion,
       @lastResult, @lastCheckSucceeded, @updateAvailable, @updateApplied, @progress, @message)`,
  );
  return (event) => void insert.run(toBits(event));
}
