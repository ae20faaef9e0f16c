import {
  type ActivityRow,
  type AlertNotification,
  type AlertNotificationRow,
  type AlertStore,
  type AlertTransition,
  type AlertWatchRow,
  type DeviceRow,
  mostAheadMs,
  notificationColumns,
  type SecurityEvent,
  toDevice,
  toNotificationRow,
  toWatch,
  toWatchRow,
  watchColumns,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { type Session, statement } from "../database/statement.js";
import { devices } from "../device/device-columns.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeEvents,
} from "../device/transition-writer.js";
import { lockDevices, prepareFiring } from "./alert-firing.js";

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
  OR EXISTS (SELECT FROM device_gateway.alert_rules r WHERE r.owner_id = devices.owner_id))`;

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

async function apply(
  session: Session,
  transition: AlertTransition,
  fire: Awaited<ReturnType<typeof prepareFiring>>,
): Promise<void> {
  if (transition.kind === "firing") return queue(session, await fire(transition));
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
          const [found] = await lockDevices(session, { deviceIds: [deviceId] });
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
        const fire = await prepareFiring(session, transitions);
        for (const transition of transitions) await apply(session, transition, fire);
        return { kind: "judged" };
      }),
  };
}
