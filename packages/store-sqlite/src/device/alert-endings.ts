import type { Database } from "../database/database.js";

const owned = ["alert_rules", "alerts", "alert_notifications"] as const;

/** Prepares the deletions of a release. Run them in its transaction. */
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

/** Prepares the deletions of an erasure. Run them in its transaction. */
export function prepareDeviceAlertsEnd(database: Database): (deviceId: string) => void {
  const deletions = [...owned, "alert_watches"].map((table) =>
    database.prepare<[string]>(`DELETE FROM ${table} WHERE device_id = ?`),
  );
  return (deviceId) => {
    for (const deletion of deletions) deletion.run(deviceId);
  };
}
