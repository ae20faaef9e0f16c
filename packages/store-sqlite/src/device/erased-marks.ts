import type { Database } from "../database/database.js";
import { prepareDeviceAlertsEnd } from "./alert-endings.js";

/** A deleted device and its telemetry number, or null if it never sent telemetry. */
export interface ErasedDevice {
  readonly deviceId: string;
  readonly number: number | null;
}

/**
 * Prepares a function that makes the data of a deleted device unreachable. Run it in the
 * transaction that deletes the device.
 */
export function prepareErasedMarks(database: Database): (device: ErasedDevice) => void {
  const noteNumber = database.prepare<[number]>("INSERT INTO telemetry_erased (device) VALUES (?)");
  const noteEvents = database.prepare<[string]>(
    `INSERT OR REPLACE INTO ota_events_erased (device_id, up_to)
     SELECT device_id, id FROM ota_events WHERE device_id = ? ORDER BY id DESC LIMIT 1`,
  );
  // A device has one row per release, so this deletes few rows.
  const deleteUpdates = database.prepare<[string]>(
    "DELETE FROM device_updates WHERE device_id = ?",
  );
  const deleteMetadata = database.prepare<[string]>(
    "DELETE FROM device_metadata WHERE device_id = ?",
  );
  const deleteIndex = database.prepare<[string]>(
    "DELETE FROM device_metadata_index WHERE device_id = ?",
  );
  const deleteRefusals = database.prepare<[string]>(
    "DELETE FROM telemetry_refusals WHERE device_id = ?",
  );
  const deleteCommands = database.prepare<[string]>(
    "DELETE FROM device_commands WHERE device_id = ?",
  );
  const endAlerts = prepareDeviceAlertsEnd(database);
  return ({ deviceId, number }) => {
    if (number !== null) noteNumber.run(number);
    noteEvents.run(deviceId);
    deleteUpdates.run(deviceId);
    deleteMetadata.run(deviceId);
    deleteIndex.run(deviceId);
    deleteRefusals.run(deviceId);
    deleteCommands.run(deviceId);
    endAlerts(deviceId);
  };
}
