import {
  type Alert,
  type AlertPage,
  type AlertRow,
  type AlertStore,
  nextTurn,
  toAlert,
  toAlertPage,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { createAlertEvaluation } from "./alert-evaluation.js";
import { createAlertRules } from "./alert-rules.js";
import { prepareLatestAlert } from "./latest-alert.js";
import { createNotificationQueue } from "./notification-queue.js";

/** Subjects whose firing alerts are read in one turn of the event loop. Each may have one of each rule. */
const subjectsAtOnce = 8;

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);

export function createAlertStore(connection: Connection): AlertStore {
  const { database, read, runSteps, readStep, write } = connection;
  const find = database.prepare<[string], AlertRow>("SELECT * FROM alerts WHERE id = ?");
  const select = (condition: string, index = "") =>
    database.prepare<[AlertPage], AlertRow>(
      `SELECT * FROM alerts ${index} WHERE owner_id IS @ownerId AND ${condition}
         AND (fired_at, id) < (@firedAt, @id)
       ORDER BY fired_at DESC, id DESC LIMIT @limit`,
    );
  const ofAny = "@deviceId IS NULL";
  const ofDevice = "device_id = @deviceId";
  const lists = {
    all: select(ofAny),
    firing: select(`${ofAny} AND cleared_at IS NULL`),
    device: select(ofDevice),
    // Sorts the few alerts that fire. An index in the order of the list also has all that cleared, or those of others.
    deviceFiring: select(
      `subject = @deviceId AND ${ofDevice} AND cleared_at IS NULL`,
      "INDEXED BY alerts_firing",
    ),
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
  const prune = database.prepare<[number, number]>(
    `DELETE FROM alerts WHERE id IN (
       SELECT id FROM alerts WHERE cleared_at IS NOT NULL AND cleared_at < ?
       ORDER BY cleared_at, id LIMIT ?)`,
  );
  const outcome = (changes: number) => ({ kind: changes === 0 ? "unknown" : "recorded" }) as const;

  return {
    ...createAlertRules(connection),
    ...createAlertEvaluation(connection),
    ...createNotificationQueue(connection),

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
      runSteps(async () => {
        const rest = [...new Set(subjects)];
        const found: Alert[] = [];
        while (rest.length > 0) {
          const some = rest.splice(0, subjectsAtOnce);
          const alerts = await readStep(() =>
            some.flatMap((subject) => firing.all(subject).map(toAlert)),
          );
          found.push(...alerts);
          if (rest.length > 0) await nextTurn();
        }
        return found.sort(byId);
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
