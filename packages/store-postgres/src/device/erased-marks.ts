import { type Session, statement } from "../database/statement.js";

/** SQL: the id of the last erased OTA event of a device. Erased events are deleted later. */
export const erasedEventsUpTo = (deviceId: string): string =>
  `coalesce((SELECT up_to FROM device_gateway.ota_events_erased WHERE device_id = ${deviceId}), 0)`;

/**
 * SQL: the time of the last erased alert of a device and an owner, or -1. Erased alerts are deleted later. An alert that
 * fires meanwhile must have a later time.
 */
export const erasedAlertsUpTo = (deviceId: string, ownerId: string): string =>
  `(SELECT coalesce(max(up_to), -1) FROM device_gateway.alerts_erased
    WHERE device_id = ${deviceId} AND owner_id IN ('', ${ownerId}))`;

interface DeviceIds {
  readonly deviceIds: readonly string[];
}

interface AlertsOf extends DeviceIds {
  /** Empty: all owners and the operators. */
  readonly ownerId: string;
}

const markEvents = statement<DeviceIds, object>(
  `INSERT INTO device_gateway.ota_events_erased (device_id, up_to)
   SELECT gone.device_id, newest.id
   FROM unnest(@deviceIds::text[]) AS gone (device_id), LATERAL (
     SELECT e.id FROM device_gateway.ota_events AS e WHERE e.device_id = gone.device_id
     ORDER BY e.id DESC LIMIT 1
   ) AS newest
   ON CONFLICT (device_id) DO UPDATE SET up_to = excluded.up_to`,
);
// A device has at most one firing alert of each rule. While it exists, the rule cannot fire for a later owner.
const deleteFiring = statement<AlertsOf, object>(
  `DELETE FROM device_gateway.alerts
   WHERE subject = ANY (@deviceIds::text[]) AND device_id = subject AND cleared_at IS NULL
     AND @ownerId::text IN ('', owner_id)`,
);
// Takes the latest alert of anybody, because the index by device finds it at once.
const markAlerts = statement<AlertsOf, object>(
  `INSERT INTO device_gateway.alerts_erased (device_id, owner_id, up_to)
   SELECT gone.device_id, @ownerId::text, newest.fired_at
   FROM unnest(@deviceIds::text[]) AS gone (device_id), LATERAL (
     SELECT a.fired_at FROM device_gateway.alerts AS a WHERE a.device_id = gone.device_id
     ORDER BY a.fired_at DESC LIMIT 1
   ) AS newest
   ON CONFLICT (device_id, owner_id) DO UPDATE SET up_to = excluded.up_to`,
);

/**
 * Makes the OTA events of devices unreachable: there may be too many to delete them in one transaction. The devices'
 * activity rows must be locked.
 */
export async function eraseEvents(session: Session, devices: DeviceIds): Promise<void> {
  await markEvents(session, devices);
}

/**
 * Makes the alerts about devices unreachable: there may be too many to delete them in one transaction. The devices' rows must
 * be locked.
 */
export async function eraseAlerts(session: Session, alerts: AlertsOf): Promise<void> {
  await deleteFiring(session, alerts);
  await markAlerts(session, alerts);
}
