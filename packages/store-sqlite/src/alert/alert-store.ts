import {
  type AlertNotificationRow,
  type AlertPage,
  type AlertRow,
  type AlertStore,
  toAlert,
  toAlertPage,
  toNotifications,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { createAlertEvaluation } from "./alert-evaluation.js";
import { createAlertRules } from "./alert-rules.js";
import { prepareLatestAlert } from "./latest-alert.js";

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);

export function createAlertStore(connection: Connection): AlertStore {
  const { database, read, write } = connection;
  const find = database.prepare<[string], AlertRow>("SELECT * FROM alerts WHERE id = ?");
  const select = (condition: string) =>
    database.prepare<[AlertPage], AlertRow>(
      `SELECT * FROM alerts WHERE owner_id IS @ownerId AND ${condition}
         AND (fired_at, id) < (@firedAt, @id)
       ORDER BY fired_at DESC, id DESC LIMIT @limit`,
    );
  const ofAny = "@deviceId IS NULL";
  const ofDevice = "device_id = @deviceId";
  const lists = {
    all: select(ofAny),
    firing: select(`${ofAny} AND cleared_at IS NULL`),
    device: select(ofDevice),
    deviceFiring: select(`${ofDevice} AND cleared_at IS NULL`),
  };
  const firing = database.prepare<[string], AlertRow>(
    "SELECT * FROM alerts WHERE subject = ? AND cleared_at IS NULL",
  );
  const acknowledge = database.prepare<[string, number, string]>(
    `UPDATE alerts SET acknowledged_by = ifnull(acknowledged_by, ?),
       acknowledged_at = ifnull(acknowledged_at, ?) WHERE id = ?`,
  );
  const findLatest = prepareLatestAlert(database);
  const mute = database.prepare<[number | null, string]>(
    "UPDATE alerts SET muted_until = ? WHERE id = ?",
  );
  const take = database.prepare<
    [{ readonly now: number; readonly until: number; readonly limit: number }],
    AlertNotificationRow
  >(
    `UPDATE alert_notifications SET due_at = @until, attempts = attempts + 1 WHERE id IN (
       SELECT id FROM (
         SELECT id, due_at, count(*) OVER (PARTITION BY owner_id) AS of_recipient
         FROM alert_notifications WHERE due_at <= @now
       ) ORDER BY of_recipient, due_at, id LIMIT @limit
     ) RETURNING *`,
  );
  const settle = database.prepare<[string]>("DELETE FROM alert_notifications WHERE id = ?");
  const postpone = database.prepare<[string, number, string]>(
    "UPDATE alert_notifications SET delivered = ?, due_at = ? WHERE id = ?",
  );
  const prune = database.prepare<[number, number]>(
    `DELETE FROM alerts WHERE id IN (
       SELECT id FROM alerts WHERE cleared_at IS NOT NULL AND cleared_at < ?
       ORDER BY cleared_at, id LIMIT ?)`,
  );
  const outcome = (changes: number) => ({ kind: changes === 0 ? "unknown" : "recorded" }) as const;

  return {
    ...createAlertRules(connection),
    ...createAlertEvaluation(connection),

    find: (id) =>
      read(() => {
        const row = find.get(id);
        return row === undefined ? null : toAlert(row);
      }),

    list: (query) => {
      const page = toAlertPage(query);
      const some = query.firing ? lists.firing : lists.all;
      const ofOne = query.firing ? lists.deviceFiring : lists.device;
      const statement = page.deviceId === null ? some : ofOne;
      return read(() => statement.all(page).map(toAlert));
    },

    firing: (subjects) =>
      read(() =>
        [...new Set(subjects)].flatMap((subject) => firing.all(subject).map(toAlert)).sort(byId),
      ),

    acknowledge: ({ id, by, at }) => write(() => outcome(acknowledge.run(by, at, id).changes)),
    // Later alerts inherit the mute of the latest one.
    mute: ({ id, until }) =>
      write(() => {
        const alert = find.get(id);
        if (alert === undefined) return outcome(0);
        const latest = findLatest(alert);
        for (const one of new Set([id, latest?.id ?? id])) mute.run(until, one);
        return outcome(1);
      }),

    takeNotifications: (input) => write(() => toNotifications(take.all(input))),
    settleNotification: ({ id, delivered, retryAt }) =>
      write(() => {
        if (retryAt === null) settle.run(id);
        else postpone.run(JSON.stringify(delivered), retryAt, id);
      }),

    prune: ({ clearedBefore, limit }) => write(() => prune.run(clearedBefore, limit).changes),
  };
}
