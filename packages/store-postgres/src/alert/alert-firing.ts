import {
  type Alert,
  type AlertNotification,
  type AlertRow,
  type AlertTransition,
  alertColumns,
  fleetSilenceRule,
  toAlertRow,
} from "@device-gateway/core/store";
import { type Session, statement } from "../database/statement.js";
import { erasedAlertsUpTo } from "../device/erased-marks.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeEvents,
} from "../device/transition-writer.js";

type Firing = AlertTransition & { readonly kind: "firing" };

interface LockedDevice {
  readonly deviceId: string;
  readonly ownerId: string | null;
  readonly claimedAt: number | null;
}

/** Locks devices, so that they are neither released nor erased meanwhile. */
export const lockDevices = statement<{ deviceIds: readonly string[] }, LockedDevice>(
  `SELECT device_id AS "deviceId", owner_id AS "ownerId", claimed_at AS "claimedAt"
   FROM device_gateway.devices
   WHERE device_id = ANY (@deviceIds::text[]) ORDER BY device_id FOR SHARE`,
);
const lockRules = statement<{ ruleIds: readonly string[] }, { id: string }>(
  `SELECT id FROM device_gateway.alert_rules
   WHERE id = ANY (@ruleIds::text[]) ORDER BY id FOR SHARE`,
);
const findErased = statement<{ deviceId: string; ownerId: string | null }, { upTo: number }>(
  `SELECT ${erasedAlertsUpTo("@deviceId", "@ownerId::text")} AS "upTo"`,
);
/** An index has the alerts of a rule and subject in this order. */
const latestMute = statement<
  { ruleId: string; subject: string; deviceId: string; erasedUpTo: number },
  { until: number | null }
>(
  `SELECT muted_until AS until FROM device_gateway.alerts
   WHERE rule_id = @ruleId AND subject = @subject AND device_id = @deviceId
     AND fired_at > @erasedUpTo::bigint
   ORDER BY fired_at DESC, id DESC LIMIT 1`,
);
/** The alert's details are `@alertDetails`, because the event has details as well. */
const values = alertColumns.map((column) => `@${column === "details" ? "alertDetails" : column}`);
const insert = statement<
  AlertRow & { about: string; alertDetails: string } & EventParameters,
  object
>(
  `WITH ${mark},
   fired AS (
     INSERT INTO device_gateway.alerts (${alertColumns.join(", ")}) VALUES (${values.join(", ")})
     ON CONFLICT (subject, rule_id) WHERE cleared_at IS NULL DO NOTHING RETURNING id
   ), about AS (SELECT @about::text AS device_id FROM fired),
   logged AS (${writeEvents("about")})
   SELECT FROM fired`,
);

/** Returns a function that reads what belongs to a key once. */
function createMemo<Value>(): (key: string, read: () => Promise<Value>) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (key, read) => {
    const value = known.get(key) ?? read();
    known.set(key, value);
    return value;
  };
}

/** Locks the devices and rules of alerts. Returns whether an alert may fire: its rule exists, and its owner has the device. */
async function lockAll(
  session: Session,
  alerts: readonly Alert[],
): Promise<(alert: Alert) => boolean> {
  const deviceIds = new Set(alerts.map(({ deviceId }) => deviceId).filter((id) => id !== ""));
  const ruleIds = new Set(alerts.map(({ ruleId }) => ruleId));
  ruleIds.delete(fleetSilenceRule);
  const devices =
    deviceIds.size > 0 ? await lockDevices(session, { deviceIds: [...deviceIds] }) : [];
  const rules = ruleIds.size > 0 ? await lockRules(session, { ruleIds: [...ruleIds] }) : [];
  const owners = new Map(devices.map(({ deviceId, ownerId }) => [deviceId, ownerId]));
  const existing = new Set([fleetSilenceRule, ...rules.map(({ id }) => id)]);
  return ({ ruleId, deviceId, ownerId }) => {
    if (!existing.has(ruleId)) return false;
    if (deviceId === "") return true;
    return owners.has(deviceId) && (ownerId === null || owners.get(deviceId) === ownerId);
  };
}

/**
 * Prepares the firing of the alerts among the transitions of a judgement: locks and reads what several alerts need once
 * for all of them. The returned function fires an alert if it still may, and returns the notification to queue.
 */
export async function prepareFiring(
  session: Session,
  transitions: readonly AlertTransition[],
): Promise<(firing: Firing) => Promise<AlertNotification | null>> {
  const alerts = transitions.flatMap((one) => (one.kind === "firing" ? [one.alert] : []));
  const mayFire = await lockAll(session, alerts);
  const memoErased = createMemo<number>();
  const memoMute = createMemo<number>();

  const erasedUpToOf = ({ deviceId, ownerId }: Alert) =>
    memoErased(JSON.stringify([deviceId, ownerId]), async () => {
      const [erased] = await findErased(session, { deviceId, ownerId });
      return erased?.upTo ?? -1;
    });
  const mutedUntilOf = ({ ruleId, subject, deviceId }: Alert, erasedUpTo: number) =>
    // A later alert of the same judgement inherits the mute of the earlier one, which is the same.
    memoMute(JSON.stringify([ruleId, subject]), async () => {
      const [mute] = await latestMute(session, { ruleId, subject, deviceId, erasedUpTo });
      return mute?.until ?? 0;
    });

  return async ({ alert, event, notification }) => {
    if (!mayFire(alert)) return null;
    const erasedUpTo = await erasedUpToOf(alert);
    const until = await mutedUntilOf(alert, erasedUpTo);
    const isMuted = until > alert.firedAt;
    const row = toAlertRow({
      ...alert,
      // Only a clock that was ahead makes erased alerts later than this one.
      firedAt: Math.max(alert.firedAt, erasedUpTo + 1),
      mutedUntil: isMuted ? until : alert.mutedUntil,
    });
    const fired = await insert(session, {
      ...row,
      ...{ alertDetails: row.details, about: event.deviceId },
      ...toEventParameters(event),
    });
    return fired.length > 0 && !isMuted ? notification : null;
  };
}
