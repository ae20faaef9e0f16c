import type { Database } from "better-sqlite3";

/** A device that is gone, and what telemetry called it: null if it sent nothing. */
export interface ErasedDevice {
  readonly deviceId: string;
  readonly number: number | null;
}

/** Prepares what puts all that a device sent out of reach, inside the transaction that deletes it. */
export function prepareErasedNotes(database: Database): (device: ErasedDevice) => void {
  const noteNumber = database.prepare<[number]>("INSERT INTO telemetry_erased (device) VALUES (?)");
  const noteEvents = database.prepare<[string]>(
    `INSERT OR REPLACE INTO ota_events_erased (device_id, up_to)
     SELECT device_id, id FROM ota_events WHERE device_id = ? ORDER BY id DESC LIMIT 1`,
  );
  // One a release.
  const deleteUpdates = database.prepare<[string]>(
    "DELETE FROM device_updates WHERE device_id = ?",
  );
  return ({ deviceId, number }) => {
    if (number !== null) noteNumber.run(number);
    noteEvents.run(deviceId);
    deleteUpdates.run(deviceId);
  };
}
