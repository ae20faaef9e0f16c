import { type AlertRow, type AlertStore, toAlert } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { isKeptAlert } from "../device/erased-alerts.js";
import { createAlertEvaluation } from "./alert-evaluation.js";
import { createAlertLists } from "./alert-lists.js";
import { createAlertRules } from "./alert-rules.js";
import { prepareLatestAlert } from "./latest-alert.js";
import { createNotificationQueue } from "./notification-queue.js";

export function createAlertStore(connection: Connection): AlertStore {
  const { database, read, write } = connection;
  const find = database.prepare<[string], AlertRow>(
    `SELECT * FROM alerts WHERE id = ? AND ${isKeptAlert}`,
  );
  const acknowledge = database.prepare<[string, number, string]>(
    `UPDATE alerts SET acknowledged_by = ifnull(acknowledged_by, ?),
       acknowledged_at = ifnull(acknowledged_at, ?) WHERE id = ? AND ${isKeptAlert}`,
  );
  const findLatest = prepareLatestAlert(database);
  const mute = database.prepare<[number | null, string]>(
    "UPDATE alerts SET muted_until = ? WHERE id = ?",
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
    ...createAlertLists(connection),
    ...createNotificationQueue(connection),

    find: (id) =>
      read(() => {
        const row = find.get(id);
        return row === undefined ? null : toAlert(row);
      }),

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

    prune: ({ clearedBefore, limit }) => write(() => prune.run(clearedBefore, limit).changes),
  };
}
