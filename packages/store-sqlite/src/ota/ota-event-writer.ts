import type { OtaEvent } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";

export type Bit = 0 | 1 | null;
type Flag = "lastCheckSucceeded" | "updateAvailable" | "updateApplied";

/** A row of `ota_events`. SQLite stores flags as numbers. */
export type OtaEventRow = Omit<OtaEvent, Flag> & { readonly [Name in Flag]: Bit };

const toBit = (flag: boolean | null): Bit => (flag === null ? null : flag ? 1 : 0);

/** Prepares the insert of an OTA event. Run it in the transaction that makes the change. */
export function prepareOtaEventWriter(database: Database): (event: OtaEvent) => void {
  const insert = database.prepare<[OtaEventRow]>(
    `INSERT INTO ota_events (device_id, created_at, source, state, offered_version, from_version,
       last_result, last_check_succeeded, update_available, update_applied, progress, message)
     VALUES (@deviceId, @createdAt, @source, @state, @offeredVersion, @fromVersion,
       @lastResult, @lastCheckSucceeded, @updateAvailable, @updateApplied, @progress, @message)`,
  );
  return (event) => {
    insert.run({
      ...event,
      lastCheckSucceeded: toBit(event.lastCheckSucceeded),
      updateAvailable: toBit(event.updateAvailable),
      updateApplied: toBit(event.updateApplied),
    });
  };
}
