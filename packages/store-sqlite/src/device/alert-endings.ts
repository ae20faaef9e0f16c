import type { Database } from "../database/database.js";
import { prepareAlertErasure } from "./erased-alerts.js";

const owned = ["alert_rules", "alert_notifications"] as const;

/**
 * Prepares the deletion of an owner's rules and notifications of a device. It also makes the owner's alerts about the
 * device unreachable. Run it in the transaction that releases the device.
 */
export function prepareOwnerAlertsEnd(
  database: Database,
): (deviceId: string, ownerId: string) => void {
  const deletions = owned.map((table) =>
    // While mails cannot be sent, an owner may have very many notifications.
    database.prepare<[string, string]>(
      `DELETE FROM ${table} INDEXED BY ${table}_by_device WHERE device_id = ? AND owner_id = ?`,
    ),
  );
  const eraseAlerts = prepareAlertErasure(database);
  return (deviceId, ownerId) => {
    for (const deletion of deletions) deletion.run(deviceId, ownerId);
    eraseAlerts({ deviceId, ownerId });
  };
}

/**
 * Prepares the deletion of all rules and notifications of a device. It also makes all alerts about the device
 * unreachable. Run it in the transaction that erases the device.
 */
export function prepareDeviceAlertsEnd(database: Database): (deviceId: string) => void {
  const deletions = [...owned, "alert_watches"].map((table) =>
    database.prepare<[string]>(`DELETE FROM ${table} WHERE device_id = ?`),
  );
  const eraseAlerts = prepareAlertErasure(database);
  return (deviceId) => {
    for (const deletion of deletions) deletion.run(deviceId);
    eraseAlerts({ deviceId, ownerId: "" });
  };
}
