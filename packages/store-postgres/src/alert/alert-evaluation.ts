import {
  type ActivityRow,
  type AlertNotification,
  type AlertNotificationRow,
  type AlertRow,
  type AlertStore,
  type AlertTransition,
  type AlertWatchRow,
  alertColumns,
  type DeviceRow,
  fleetSilenceRule,
  mostAheadMs,
  notificationColumns,
  type SecurityEvent,
  toAlertRow,
  toDevice,
  toNotificationRow,
  toWatch,
  toWatchRow,
  watchColumns,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { type Session, statement } from "../database/statement.js";
import { devices } from "../device/device-columns.js";
import { erasedAlertsUpTo } from "../device/erased-marks.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeEvents,
} from "../device/transition-writer.js";

const named = (columns: readonly string[]) => columns.map((column) => `@${column}`).join(", ");

interface Page {
  readonly after: string;
  readonly now: number;
  readonly limit: number;
}

type DueRow = DeviceRow & ActivityRow & { readonly watch: AlertWatchRow | null };

/** The ids of the devices that a page looks at. */
const page = `SELECT device_id FROM device_gateway.devices WHERE device_id > @after
  ORDER BY device_id LIMIT @limit`;

/** True for a device that a rule may apply to. */
const isWatched = `revoked_at IS NULL AND (
  EXISTS (SELECT FROM device_gateway.alert_rules WHERE owner_id IS NULL)
  OR owner_id IN (SELECT r.owner_id FROM device_gateway.alert_rules r))`;

const lookedAt = statement<Page, { last: string | null; count: number }>(
  `SELECT max(device_id) AS last, count(*)::integer AS count FROM (${page}) AS page`,
);
const due = statement<Page & { everyone: boolean }, DueRow>(
  `SELECT *, (SELECT row_to_json(w) FROM device_gateway.alert_watches w
      WHERE w.device_id = devices.device_id) AS watch
   FROM ${devices}
   WHERE device_id IN (${page})
     AND (${isWatched} OR (@everyone::boolean AND revoked_at IS NULL)) AND NOT EXISTS (
     SELECT FROM device_gateway.alert_watches w WHERE w.device_id = devices.device_id
       AND w.due_at > @now AND w.due_at <= @now::bigint + ${mostAheadMs}
       AND (last_telemetry_at IS NULL OR last_telemetry_at <= w.received_at)
       AND NOT (@everyone::boolean AND coalesce(last_seen_at > w.received_at, false)))
   ORDER BY device_id`,
);
const silences = statement<Page, { watched: number; overdue: number }>(
  `SELECT count(w.silent_at)::integer AS watched,
     (count(*) FILTER (WHERE w.silent_at <= @now))::integer AS overdue
   FROM device_gateway.devices JOIN device_gateway.alert_watches w USING (device_id)
   WHERE device_id IN (${page}) AND ${isWatched}`,
);
const findWatch = statement<{ deviceId: string }, AlertWatchRow>(
  "SELECT * FROM device_gateway.alert_watches WHERE device_id = @deviceId",
);
const insertWatch = statement<AlertWatchRow, object>(
  `INSERT INTO device_gateway.alert_watches (${watchColumns.join(", ")})
   VALUES (${named(watchColumns)}) ON CONFLICT DO NOTHING RETURNING device_id`,
);
const updateWatch = statement<AlertWatchRow & { expected: number }, object>(
  `UPDATE device_gateway.alert_watches SET revision = @revision, content = @content,
     received_at = @received_at, due_at = @due_at, silent_at = @silent_at
   WHERE device_id = @device_id AND revision = @expected RETURNING device_id`,
);
/** Locks the device, so that it is neither released nor erased meanwhile. */
const lockDevice = statement<
  { deviceId: string },
  { ownerId: string | null; claimedAt: number | null }
>(
  `SELECT owner_id AS "ownerId", claimed_at AS "claimedAt" FROM device_gateway.devices
   WHERE device_id = @deviceId FOR SHARE`,
);
const lockRule = statement<{ ruleId: string }, object>(
  "SELECT FROM device_gateway.alert_rules WHERE id = @ruleId FOR SHARE",
);
const findErased = statement<{ deviceId: string; ownerId: string | null }, { upTo: number }>(
  `SELECT ${erasedAlertsUpTo("@deviceId", "@ownerId::text")} AS "upTo"`,
);
/** The index by rule has no times, so it goes through the latest alerts of the device, if there is one to find. */
const latestMute = statement<
  { ruleId: string; subject: string; deviceId: string; erasedUpTo: number },
  { until: number | null }
>(
  `SELECT muted_until AS until FROM device_gateway.alerts
   WHERE device_id = @deviceId AND rule_id = @ruleId AND subject = @subject
     AND fired_at > @erasedUpTo::bigint
     AND EXISTS (SELECT FROM device_gateway.alerts WHERE rule_id = @ruleId AND subject = @subject)
   ORDER BY fired_at DESC, id DESC LIMIT 1`,
);
/** The alert's details are `@alertDetails`, because the event has details as well. */
const insert = statement<
  AlertRow & { about: string; alertDetails: string } & EventParameters,
  object
>(
  `WITH ${mark},
   fired AS (
     INSERT INTO device_gateway.alerts (${alertColumns.join(", ")})
     VALUES (${named(alertColumns).replace("@details", "@alertDetails")})
     ON CONFLICT (subject, rule_id) WHERE cleared_at IS NULL DO NOTHING RETURNING id
   ), about AS (SELECT @about::text AS device_id FROM fired),
   logged AS (${writeEvents("about")})
   SELECT FROM fired`,
);
const clear = statement<{ alertId: string; at: number; about: string } & EventParameters, object>(
  `WITH ${mark},
   cleared AS (
     UPDATE device_gateway.alerts SET cleared_at = @at::bigint
     WHERE id = @alertId AND cleared_at IS NULL RETURNING id
   ), about AS (SELECT @about::text AS device_id FROM cleared),
   logged AS (${writeEvents("about")})
   SELECT FROM cleared`,
);
const log = statement<{ about: string } & EventParameters, object>(
  `WITH ${mark}, about AS (SELECT @about::text AS device_id) ${writeEvents("about")}`,
);
const remind = statement<{ alertId: string; at: number }, object>(
  `UPDATE device_gateway.alerts SET reminded_at = @at::bigint
   WHERE id = @alertId AND cleared_at IS NULL AND acknowledged_at IS NULL RETURNING id`,
);
const insertNotification = statement<AlertNotificationRow, object>(
  `INSERT INTO device_gateway.alert_notifications (${notificationColumns.join(", ")})
   VALUES (${named(notificationColumns)}) ON CONFLICT DO NOTHING`,
);

async function queue(session: Session, notification: AlertNotification | null): Promise<void> {
  if (notification !== null) await insertNotification(session, toNotificationRow(notification));
}

const about = (event: SecurityEvent) => ({ about: event.deviceId, ...toEventParameters(event) });

async function fire(
  session: Session,
  { alert, event, notification }: AlertTransition & { kind: "firing" },
): Promise<void> {
  const { ruleId, subject, ownerId, deviceId, firedAt } = alert;
  if (deviceId !== "") {
    const [device] = await lockDevice(session, { deviceId });
    if (device === undefined || (ownerId !== null && device.ownerId !== ownerId)) return;
  }
  const isOfFleet = ruleId === fleetSilenceRule;
  if (!isOfFleet && (await lockRule(session, { ruleId })).length === 0) return;
  const [erased] = await findErased(session, { deviceId, ownerId });
  const erasedUpTo = erased?.upTo ?? -1;
  const [mute] = await latestMute(session, { ruleId, subject, deviceId, erasedUpTo });
  const until = mute?.until ?? 0;
  const isMuted = until > firedAt;
  const row = toAlertRow({
    ...alert,
    // Only a clock that was ahead makes erased alerts later than this one.
    firedAt: Math.max(firedAt, erasedUpTo + 1),
    mutedUntil: isMuted ? until : alert.mutedUntil,
  });
  const fired = await insert(session, {
    ...row,
    alertDetails: row.details,
    ...about(event),
  });
  if (fired.length > 0 && !isMuted) await queue(session, notification);
}

async function apply(session: Session, transition: AlertTransition): Promise<void> {
  if (transition.kind === "firing") return fire(session, transition);
  if (transition.kind === "presence") {
    await log(session, about(transition.event));
    return;
  }
  const { alertId, at, notification } = transition;
  const changed =
    transition.kind === "cleared"
      ? await clear(session, { alertId, at, ...about(transition.event) })
      : await remind(session, { alertId, at });
  if (changed.length > 0) await queue(session, notification);
}

export function createAlertEvaluation({
  read,
  write,
}: Connection): Pick<AlertStore, "due" | "findWatch" | "judge"> {
  return {
    due: ({ everyone, ...input }) =>
      read(async (session) => {
        const [end] = await lookedAt(session, input);
        const [counted] = await silences(session, input);
        const rows = await due(session, { ...input, everyone });
        return {
          devices: rows.map(({ watch, ...row }) => ({
            device: toDevice(row),
            watch: watch === null ? null : toWatch(watch),
          })),
          next: end?.count === input.limit ? end.last : null,
          watched: counted?.watched ?? 0,
          overdue: counted?.overdue ?? 0,
        };
      }),

    findWatch: (deviceId) =>
      read(async (session) => {
        const [row] = await findWatch(session, { deviceId });
        return row === undefined ? null : toWatch(row);
      }),

    judge: ({ watch, expectedRevision, owner, transitions }) =>
      write(async (session) => {
        const { deviceId } = watch;
        if (deviceId !== "") {
          const [found] = await lockDevice(session, { deviceId });
          if (found === undefined) return { kind: "conflict" };
          if (found.ownerId !== (owner?.ownerId ?? null)) return { kind: "conflict" };
          if (found.claimedAt !== (owner?.claimedAt ?? null)) return { kind: "conflict" };
        }
        const row = toWatchRow(watch);
        const written =
          expectedRevision === null
            ? await insertWatch(session, row)
            : await updateWatch(session, { ...row, expected: expectedRevision });
        if (written.length === 0) return { kind: "conflict" };
        for (const transition of transitions) await apply(session, transition);
        return { kind: "judged" };
      }),
  };
}
