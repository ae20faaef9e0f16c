import {
  type AlertNotification,
  type AlertNotificationRow,
  type AlertRow,
  type AlertStore,
  type AlertTransition,
  type AlertWatchRow,
  alertColumns,
  fleetSilenceRule,
  mostAheadMs,
  notificationColumns,
  toAlertRow,
  toNotificationRow,
  toWatch,
  toWatchRow,
  watchColumns,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { erasedAlertsUpTo } from "../device/erased-alerts.js";
import { type KnownDeviceRow, toKnownDevice } from "../device/known-device.js";
import { prepareEventWriter } from "../device/security-event-store.js";
import { prepareLatestAlert } from "./latest-alert.js";

const named = (columns: readonly string[]) => columns.map((column) => `@${column}`).join(", ");

interface Page {
  readonly after: string;
  readonly now: number;
  readonly limit: number;
}

type DuePage = Page & { readonly everyone: 0 | 1 };

/** The ids of the devices that a page looks at. */
const page =
  "SELECT device_id FROM devices WHERE device_id > @after ORDER BY device_id LIMIT @limit";

/** True for a device `d` that a rule may apply to. */
const watched = `d.revoked_at IS NULL AND (
  EXISTS (SELECT 1 FROM alert_rules WHERE owner_id IS NULL)
  OR (d.owner_id IS NOT NULL AND EXISTS (SELECT 1 FROM alert_rules r WHERE r.owner_id = d.owner_id)))`;

type DueRow = KnownDeviceRow & {
  readonly [Column in keyof AlertWatchRow as `w_${Column}`]: unknown;
};

const toWatchOrNull = (row: DueRow) =>
  row.w_revision === null
    ? null
    : toWatch(
        Object.fromEntries(
          watchColumns.map((column) => [column, row[`w_${column}`]]),
        ) as unknown as AlertWatchRow,
      );

export function createAlertEvaluation({
  database,
  read,
  write,
}: Connection): Pick<AlertStore, "due" | "findWatch" | "judge"> {
  const writeEvent = prepareEventWriter(database);
  const last = database
    .prepare<[Page], string>(`SELECT device_id FROM (${page}) ORDER BY device_id DESC LIMIT 1`)
    .pluck();
  const lookedAt = database.prepare<[Page], number>(`SELECT count(*) FROM (${page})`).pluck();
  const due = database.prepare<[DuePage], DueRow>(
    `SELECT d.*, s.last_at AS last_telemetry_at,
       ${watchColumns.map((column) => `w.${column} AS w_${column}`).join(", ")}
     FROM devices d LEFT JOIN telemetry_senders s ON s.device = d.number
       LEFT JOIN alert_watches w ON w.device_id = d.device_id
     WHERE d.device_id IN (${page}) AND (${watched} OR (@everyone AND d.revoked_at IS NULL))
       AND (w.device_id IS NULL OR w.due_at <= @now OR w.due_at > @now + ${mostAheadMs}
         OR s.last_at > w.received_at
         OR (@everyone AND d.last_seen_at > w.received_at))
     ORDER BY d.device_id`,
  );
  const silences = database.prepare<
    [Page],
    { readonly watched: number; readonly overdue: number | null }
  >(
    `SELECT count(w.silent_at) AS watched, sum(w.silent_at <= @now) AS overdue
     FROM devices d JOIN alert_watches w ON w.device_id = d.device_id
     WHERE d.device_id IN (${page}) AND ${watched}`,
  );
  const findWatch = database.prepare<[string], AlertWatchRow>(
    "SELECT * FROM alert_watches WHERE device_id = ?",
  );
  const putWatch = database.prepare<[AlertWatchRow]>(
    `INSERT OR REPLACE INTO alert_watches (${watchColumns.join(", ")}) VALUES (${named(watchColumns)})`,
  );
  const findOwner = database.prepare<
    [string],
    { readonly ownerId: string | null; readonly claimedAt: number | null }
  >("SELECT owner_id AS ownerId, claimed_at AS claimedAt FROM devices WHERE device_id = ?");
  const findRule = database.prepare<[string]>("SELECT 1 FROM alert_rules WHERE id = ?");
  const findErased = database
    .prepare<[AlertRow], number>(`SELECT ${erasedAlertsUpTo("@device_id", "@owner_id")}`)
    .pluck();
  const findLatest = prepareLatestAlert(database);
  const insert = database.prepare<[AlertRow]>(
    `INSERT INTO alerts (${alertColumns.join(", ")}) VALUES (${named(alertColumns)})
     ON CONFLICT (subject, rule_id) WHERE cleared_at IS NULL DO NOTHING`,
  );
  const clear = database.prepare<[number, string]>(
    "UPDATE alerts SET cleared_at = ? WHERE id = ? AND cleared_at IS NULL",
  );
  const remind = database.prepare<[number, string]>(
    `UPDATE alerts SET reminded_at = ?
     WHERE id = ? AND cleared_at IS NULL AND acknowledged_at IS NULL`,
  );
  const insertNotification = database.prepare<[AlertNotificationRow]>(
    `INSERT OR REPLACE INTO alert_notifications (${notificationColumns.join(", ")})
     VALUES (${named(notificationColumns)})`,
  );

  function queue(notification: AlertNotification | null): void {
    if (notification !== null) insertNotification.run(toNotificationRow(notification));
  }

  function fire({ alert, event, notification }: AlertTransition & { kind: "firing" }): void {
    const { ruleId, ownerId, deviceId, firedAt } = alert;
    if (ruleId !== fleetSilenceRule && findRule.get(ruleId) === undefined) return;
    if (deviceId !== "") {
      const device = findOwner.get(deviceId);
      if (device === undefined || (ownerId !== null && device.ownerId !== ownerId)) return;
    }
    const row = toAlertRow(alert);
    const until = findLatest(row)?.muted_until ?? 0;
    const isMuted = until > firedAt;
    const fired = insert.run({
      ...row,
      // Only a clock that was ahead makes erased alerts later than this one.
      fired_at: Math.max(firedAt, (findErased.get(row) ?? -1) + 1),
      muted_until: isMuted ? until : row.muted_until,
    });
    if (fired.changes === 0) return;
    writeEvent(event);
    if (!isMuted) queue(notification);
  }

  function apply(transition: AlertTransition): void {
    if (transition.kind === "firing") {
      fire(transition);
      return;
    }
    if (transition.kind === "presence") {
      writeEvent(transition.event);
      return;
    }
    const { alertId, at } = transition;
    if (transition.kind === "cleared") {
      if (clear.run(at, alertId).changes === 0) return;
      writeEvent(transition.event);
    } else if (remind.run(at, alertId).changes === 0) return;
    queue(transition.notification);
  }

  return {
    due: ({ everyone, ...input }) =>
      read(() => {
        const counted = silences.get(input);
        return {
          devices: due.all({ ...input, everyone: everyone ? 1 : 0 }).map((row) => ({
            device: toKnownDevice(row),
            watch: toWatchOrNull(row),
          })),
          next: lookedAt.get(input) === input.limit ? (last.get(input) ?? null) : null,
          watched: counted?.watched ?? 0,
          overdue: counted?.overdue ?? 0,
        };
      }),

    findWatch: (deviceId) =>
      read(() => {
        const row = findWatch.get(deviceId);
        return row === undefined ? null : toWatch(row);
      }),

    // The write lock makes it atomic: nobody else writes between these statements.
    judge: ({ watch, expectedRevision, owner, transitions }) =>
      write(() => {
        const { deviceId } = watch;
        if ((findWatch.get(deviceId)?.revision ?? null) !== expectedRevision) {
          return { kind: "conflict" };
        }
        if (deviceId !== "") {
          const found = findOwner.get(deviceId);
          if (found === undefined) return { kind: "conflict" };
          if (found.ownerId !== (owner?.ownerId ?? null)) return { kind: "conflict" };
          if (found.claimedAt !== (owner?.claimedAt ?? null)) return { kind: "conflict" };
        }
        putWatch.run(toWatchRow(watch));
        for (const transition of transitions) apply(transition);
        return { kind: "judged" };
      }),
  };
}
