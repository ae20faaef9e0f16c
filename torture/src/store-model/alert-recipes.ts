import type {
  Alert,
  AlertNotification,
  AlertRule,
  AlertStore,
  AlertTransition,
} from "@device-gateway/core/store";
import fc from "fast-check";
import {
  at,
  deviceIds,
  eventOf,
  freeText,
  hourMs,
  json,
  limits,
  minuteMs,
  ownerOrOperator,
  part,
  someDevices,
  staleness,
} from "./pools.js";
import { drafted, type RecipesOf, type Side } from "./recipe.js";

/** Ids of rules are random, so that two simultaneous calls never create the same one. */
const newRuleIds = fc.nat().map((n) => `rule-${n}`);
const subjects = fc.oneof(deviceIds, fc.constant("release/1"));

const toRule = (
  { now }: Side,
  id: string,
  owner: Pick<AlertRule, "ownerId" | "deviceId">,
  name: string,
  revision: number,
): AlertRule => ({
  ...{ id, revision, ...owner, targetHardware: null, name },
  condition: { kind: "silent", intervals: 5 },
  ...{ reminderSeconds: null, mutedUntil: null, createdAt: now, changedAt: now },
});

const aRule = ({ state }: Side, share: number): string =>
  at([...state.alertRules.keys()].sort(), share) ?? "rule-of-nobody";

const anAlert = ({ state }: Side, share: number): string =>
  at([...state.alerts.keys()].sort(), share) ?? "of-nobody";

const notificationOf = (side: Side, alert: Alert, kind: AlertNotification["kind"]) => ({
  ...{ id: `${alert.id}-${kind}-${side.now}`, alertId: alert.id, ruleId: alert.ruleId },
  ...{ ownerId: alert.ownerId, deviceId: alert.deviceId, kind, at: side.now },
  ...{ dueAt: side.now, attempts: 0, delivered: [], details: { kind } },
});

interface Change {
  readonly kind: AlertTransition["kind"];
  /** Which rule, as a share of all. */
  readonly rule: number;
  readonly subject: string;
  readonly share: number;
  readonly isQuiet: boolean;
}

function toTransition(side: Side, { kind, rule, subject, share, isQuiet }: Change, n: number) {
  const ruleId = aRule(side, rule);
  const deviceId = subject.includes("/") ? "" : subject;
  const event = (name: "alert.firing" | "alert.cleared") => eventOf(side, deviceId, name, { n });
  const ownerId = side.state.alertRules.get(ruleId)?.ownerId ?? null;
  const id = kind === "firing" ? `alert-${side.now}-${n}` : anAlert(side, share);
  const alert: Alert = side.state.alerts.get(id) ?? {
    ...{ id, ruleId, ownerId, subject, deviceId, firedAt: side.now, clearedAt: null },
    ...{ acknowledgedAt: null, acknowledgedBy: null, mutedUntil: null, remindedAt: null },
    details: { name: ruleId },
  };
  const notified = kind === "cleared" ? kind : kind === "reminded" ? "reminder" : "firing";
  const notification = notificationOf(side, alert, notified);
  const quiet = isQuiet ? null : notification;
  switch (kind) {
    case "presence":
      return { kind, event: eventOf(side, deviceId, "device.online", { n }) } as const;
    case "firing":
      return { kind, alert, event: event("alert.firing"), notification: quiet } as const;
    case "cleared":
      return {
        ...{ kind, alertId: id, at: side.now, event: event("alert.cleared") },
        notification: quiet,
      } as const;
    case "reminded":
      return { kind, alertId: id, at: side.now, notification } as const;
  }
}

const changes = fc.array(
  fc.record({
    kind: fc.constantFrom("firing", "firing", "cleared", "reminded", "presence"),
    rule: part,
    subject: subjects,
    share: part,
    isQuiet: fc.boolean(),
  }),
  { maxLength: 3 },
) as fc.Arbitrary<Change[]>;

/** How to call the methods of `AlertStore`. */
export const alertRecipes: RecipesOf<AlertStore> = {
  createRule: {
    drafts: drafted(
      fc.record({
        id: newRuleIds,
        ownerId: ownerOrOperator,
        deviceId: fc.option(deviceIds, { freq: 2 }),
        most: fc.constantFrom(1, 50),
        name: freeText,
      }),
      ({ id, ownerId, deviceId, most, name }, side) => {
        const owned = deviceId === null ? undefined : side.state.devices.get(deviceId)?.ownership;
        const owner = { ownerId: owned?.ownerId ?? ownerId, deviceId };
        const rule = toRule(side, id, owner, name, 1);
        return { rule, most, event: eventOf(side, deviceId ?? "", "alert_rule.created") };
      },
    ),
  },
  findRule: { drafts: drafted(part, (share, side) => aRule(side, share)) },
  listRules: {
    drafts: drafted(
      fc.record({ ownerId: ownerOrOperator, after: fc.constantFrom("", "rule-1"), limit: limits }),
      (input) => input,
    ),
  },
  rulesOf: {
    drafts: drafted(fc.uniqueArray(ownerOrOperator, { maxLength: 3 }), (owners) => owners),
  },
  ruleScope: { drafts: drafted(fc.constant(undefined), () => undefined) },
  replaceRule: {
    drafts: drafted(
      fc.record({ share: part, name: freeText, stale: staleness }),
      ({ share, name, stale }, side) => {
        const id = aRule(side, share);
        const before = side.state.alertRules.get(id);
        const expectedRevision = (before?.revision ?? 1) + stale;
        const owner = { ownerId: before?.ownerId ?? null, deviceId: before?.deviceId ?? null };
        const rule = toRule(side, id, owner, name, expectedRevision + 1);
        return { rule, expectedRevision, event: eventOf(side, "", "alert_rule.changed") };
      },
    ),
  },
  removeRule: {
    drafts: drafted(fc.record({ share: part, limit: fc.constantFrom(500) }), (input, side) => ({
      ...{ id: aRule(side, input.share), limit: input.limit },
      event: eventOf(side, "", "alert_rule.removed"),
    })),
  },
  find: { drafts: drafted(part, (share, side) => anAlert(side, share)) },
  list: {
    drafts: drafted(
      fc.record({
        ownerId: ownerOrOperator,
        deviceId: fc.option(deviceIds),
        firing: fc.boolean(),
        share: fc.option(part),
        limit: limits,
      }),
      ({ share, ...input }, side) => {
        const before = share === null ? undefined : side.state.alerts.get(anAlert(side, share));
        return { ...input, before: before ? { firedAt: before.firedAt, id: before.id } : null };
      },
    ),
  },
  firing: { drafts: drafted(fc.uniqueArray(subjects, { maxLength: 3 }), (all) => all) },
  acknowledge: {
    drafts: drafted(fc.record({ share: part, by: freeText }), ({ share, by }, side) => ({
      ...{ id: anAlert(side, share), by, at: side.now },
    })),
  },
  mute: {
    drafts: drafted(
      fc.record({ share: part, forMs: fc.option(fc.constantFrom(minuteMs, hourMs)) }),
      ({ share, forMs }, side) => ({
        id: anAlert(side, share),
        until: forMs === null ? null : side.now + forMs,
      }),
    ),
  },
  due: {
    drafts: drafted(
      fc.record({
        after: fc.constantFrom("", ...someDevices),
        limit: limits,
        everyone: fc.boolean(),
      }),
      (input, { now }) => ({ ...input, now }),
    ),
    ids: { releaseId: "release" },
  },
  findWatch: { drafts: drafted(fc.oneof(deviceIds, fc.constant("")), (deviceId) => deviceId) },
  judge: {
    drafts: drafted(
      fc.record({
        deviceId: fc.oneof(deviceIds, fc.constant("")),
        content: json,
        ago: fc.constantFrom(0, minuteMs),
        waits: fc.constantFrom(0, minuteMs, hourMs),
        isSilent: fc.boolean(),
        stale: staleness,
        isOwned: fc.constantFrom(true, true, true, false),
        changes,
      }),
      ({ deviceId, content, ago, waits, isSilent, stale, isOwned, changes: all }, side) => {
        const known = side.state.alertWatches.get(deviceId)?.revision;
        const expectedRevision = known === undefined ? null : known + stale;
        const { ownerId, claimedAt } = side.state.devices.get(deviceId)?.ownership ?? {};
        const owner =
          ownerId === undefined || claimedAt === undefined || !isOwned
            ? null
            : { ownerId, claimedAt };
        const times = {
          receivedAt: side.now - ago,
          dueAt: side.now + waits,
          silentAt: isSilent ? side.now + waits : null,
        };
        const watch = { deviceId, revision: (expectedRevision ?? 0) + 1, content, ...times };
        const transitions = all.map((change, n) => toTransition(side, change, n));
        return { watch, expectedRevision, owner, transitions };
      },
    ),
  },
  takeNotifications: {
    drafts: drafted(
      fc.record({ limit: limits, ahead: fc.constantFrom(1, 60, 10_000) }),
      ({ limit, ahead }, { now }) => ({
        ...{ now, until: now + minuteMs, latest: now + ahead * minuteMs, limit },
      }),
    ),
  },
  settleNotification: {
    drafts: drafted(
      fc.record({ share: part, isDone: fc.boolean(), stale: staleness }),
      ({ share, isDone, stale }, { state, now }) => {
        const id = at([...state.alertNotifications.keys()].sort(), share) ?? "of-nobody";
        return {
          id,
          attempts: (state.alertNotifications.get(id)?.attempts ?? 0) + stale,
          delivered: ["mail"],
          retryAt: isDone ? null : now + minuteMs,
        };
      },
    ),
  },
  prune: {
    drafts: drafted(
      fc.record({ ago: fc.constantFrom(0, minuteMs, hourMs), limit: limits }),
      ({ ago, limit }, { now }) => ({ clearedBefore: now - ago, limit }),
    ),
    drains: (count) => count,
  },
};
