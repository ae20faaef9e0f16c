import type { Database } from "../database/database.js";

const owned = ["alert_rules", "alerts", "alert_notifications"] as const;

/**
 * Prepares the deletion of an owner's rules, alerts and notifications of a device. Run it in the transaction that
 * releases the device.
 */
export function prepareOwnerAlertsEnd(
  database: Database,
): (deviceId: string, ownerId: string) => void {
  const deletions = owned.map((table) =>
    database.prepare<[string, string]>(`DELETE FROM ${table} WHERE device_id = ? AND owner_id = ?`),
  );
  return (deviceId, ownerId) => {
    for (const deletion of deletions) deletion.run(deviceId, ownerId);
  };
}

/**
 * Prepares the deletion of all rules, alerts and notifications of a device. Run it in the transaction that erases the
 * device.
 */
export function prepareDeviceAlertsEnd(database: Database): (deviceId: string) => void {
  const deletions = [...owned, "alert_watches"].map((table) =>
    database.prepare<[string]>(`DELETE FROM ${table} WHERE device_id = ?`),
  );
  return (deviceId) => {
    for (const deletion of deletions) deletion.run(deviceId);
  };
}
