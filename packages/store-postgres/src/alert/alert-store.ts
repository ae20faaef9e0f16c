import {
  type AlertPage,
  type AlertRow,
  type AlertStore,
  toAlert,
  toAlertPage,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";
import { erasedAlertsUpTo } from "../device/erased-marks.js";
import { createAlertEvaluation } from "./alert-evaluation.js";
import { createAlertRules } from "./alert-rules.js";
import { createNotificationQueue } from "./notification-queue.js";

/** SQL: whether an alert was not erased. An alert that fires never was, because an erasure deletes those. */
const isKept = (alert: string) =>
  `${alert}.fired_at > ${erasedAlertsUpTo(`${alert}.device_id`, `${alert}.owner_id`)}`;
const isKeptOfDevice = `fired_at > ${erasedAlertsUpTo("@deviceId", "@ownerId::text")}`;
/** Looks the marks up once for the whole list, and not for each alert: there may be many erased alerts to leave out. */
const isKeptOfAny = `fired_at > coalesce((ARRAY(SELECT up_to FROM erased ORDER BY device_id))
  [array_position(ARRAY(SELECT device_id FROM erased ORDER BY device_id), device_id)], -1)`;

const find = statement<{ id: string }, AlertRow>(
  `SELECT * FROM device_gateway.alerts WHERE id = @id AND ${isKept("alerts")}`,
);
/**
 * Each kind of list has a condition and an order of its own, so that Postgres uses its index. An index that begins with
 * the owner has the operators' alerts in this order only if the order includes the owner.
 */
const list = (conditions: readonly string[], order: string) =>
  statement<AlertPage, AlertRow>(
    `WITH erased AS MATERIALIZED (
       SELECT device_id, max(up_to) AS up_to FROM device_gateway.alerts_erased
       WHERE owner_id IN ('', @ownerId::text) GROUP BY device_id
     )
     SELECT * FROM device_gateway.alerts WHERE ${conditions.join(" AND ")}
       AND (fired_at, id) < (@firedAt::bigint, @id::text)
     ORDER BY ${order} fired_at DESC, id DESC LIMIT @limit`,
  );
const [ofOneDevice, isFiring] = ["device_id = @deviceId", "cleared_at IS NULL"];
/** Far above the number of rules that may fire about a device. */
const mostFiring = 1_000;
/**
 * Finds the few alerts of a device that fire before it sorts them. An index in the order of the list also has all that
 * cleared, or those of other devices. Without the order by rule and the limit, Postgres may prefer to scan the table.
 */
const listFiring = (owner: string) =>
  statement<AlertPage, AlertRow>(
    `WITH firing AS MATERIALIZED (
       SELECT * FROM device_gateway.alerts WHERE subject = @deviceId AND ${isFiring}
       ORDER BY subject, rule_id LIMIT ${mostFiring}
     )
     SELECT * FROM firing WHERE ${owner} AND ${ofOneDevice}
       AND (fired_at, id) < (@firedAt::bigint, @id::text)
     ORDER BY fired_at DESC, id DESC LIMIT @limit`,
  );
const listsOf = (owner: string) => ({
  all: list([owner, isKeptOfAny], "owner_id DESC,"),
  firing: list([owner, isFiring], "owner_id DESC,"),
  device: list([owner, ofOneDevice, isKeptOfDevice], ""),
  deviceFiring: listFiring(owner),
});
const ofOwner = listsOf("owner_id = @ownerId");
const ofOperators = listsOf("owner_id IS NULL");
const firing = statement<{ subjects: readonly string[] }, AlertRow>(
  `SELECT * FROM device_gateway.alerts WHERE subject = ANY (@subjects::text[])
     AND cleared_at IS NULL ORDER BY id`,
);
const acknowledge = statement<{ id: string; by: string; at: number }, object>(
  `UPDATE device_gateway.alerts SET acknowledged_by = coalesce(acknowledged_by, @by),
     acknowledged_at = coalesce(acknowledged_at, @at::bigint)
   WHERE id = @id AND ${isKept("alerts")} RETURNING id`,
);
/** Also mutes the latest alert of the rule and subject, because later ones inherit its mute. */
const mute = statement<{ id: string; until: number | null }, object>(
  `UPDATE device_gateway.alerts SET muted_until = @until::bigint
   WHERE id = ANY (ARRAY[@id::text, (
     SELECT latest.id FROM device_gateway.alerts muted CROSS JOIN LATERAL (
       SELECT id FROM device_gateway.alerts a
       WHERE a.device_id = muted.device_id AND a.rule_id = muted.rule_id AND a.subject = muted.subject
       ORDER BY a.fired_at DESC, a.id DESC LIMIT 1
     ) latest WHERE muted.id = @id AND ${isKept("muted")})])
     AND ${isKept("alerts")} RETURNING id`,
);
const prune = statement<{ clearedBefore: number; limit: number }, object>(
  `DELETE FROM device_gateway.alerts WHERE id IN (
     SELECT id FROM device_gateway.alerts WHERE cleared_at < @clearedBefore
     ORDER BY cleared_at, id LIMIT @limit) RETURNING id`,
);

const toOutcome = (changed: readonly object[]) =>
  ({ kind: changed.length === 0 ? "unknown" : "recorded" }) as const;

export function createAlertStore(connection: Connection): AlertStore {
  const { read, change } = connection;
  return {
    ...createAlertRules(connection),
    ...createAlertEvaluation(connection),
    ...createNotificationQueue(connection),

    find: (id) =>
      read(async (session) => {
        const [row] = await find(session, { id });
        return row === undefined ? null : toAlert(row);
      }),

    list: (query) => {
      const page = toAlertPage(query);
      const lists = page.ownerId === null ? ofOperators : ofOwner;
      const some = query.firing ? lists.firing : lists.all;
      const ofOne = query.firing ? lists.deviceFiring : lists.device;
      const select = page.deviceId === null ? some : ofOne;
      return read(async (session) => (await select(session, page)).map(toAlert));
    },

    firing: (subjects) =>
      read(async (session) => (await firing(session, { subjects })).map(toAlert)),

    acknowledge: (input) => change(async (session) => toOutcome(await acknowledge(session, input))),
    mute: (input) => change(async (session) => toOutcome(await mute(session, input))),

    prune: (input) => change(async (session) => (await prune(session, input)).length),
  };
}
