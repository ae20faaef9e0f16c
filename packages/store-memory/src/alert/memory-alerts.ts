import {
  type Alert,
  type AlertNotification,
  type AlertStore,
  type AlertTransition,
  compareBytes,
  type Device,
  fleetSilenceRule,
  mostAheadMs,
} from "@device-gateway/core/store";
import { type MemoryState, type Transitions, writeEvent } from "../memory-state.js";

type Rules = "createRule" | "findRule" | "listRules" | "rulesOf" | "ruleScope" | "replaceRule";

function createMemoryRules(state: MemoryState): Transitions<Pick<AlertStore, Rules>> {
  const { alertRules } = state;
  const ofOwner = (ownerId: string | null) =>
    [...alertRules.values()]
      .filter((rule) => rule.ownerId === ownerId)
      .sort((a, b) => compareBytes(a.id, b.id));
  return {
    createRule({ rule, most, event }) {
      const { ownerId, deviceId } = rule;
      if (deviceId !== null && state.devices.get(deviceId)?.ownership?.ownerId !== ownerId) {
        return { kind: "unknown_device" };
      }
      if (ofOwner(ownerId).length >= most) return { kind: "too_many" };
      alertRules.set(rule.id, rule);
      writeEvent(state, event);
      return { kind: "created" };
    },

    findRule: (id) => alertRules.get(id) ?? null,

    listRules: ({ ownerId, after, limit }) =>
      ofOwner(ownerId)
        .filter(({ id }) => compareBytes(id, after) > 0)
        .slice(0, limit),

    rulesOf: (ownerIds) =>
      [...new Set(ownerIds)].flatMap(ofOwner).sort((a, b) => compareBytes(a.id, b.id)),

    ruleScope: () => ({ any: alertRules.size > 0, fleet: ofOwner(null).length > 0 }),

    replaceRule({ rule, expectedRevision, event }) {
      if (alertRules.get(rule.id)?.revision !== expectedRevision) return { kind: "conflict" };
      alertRules.set(rule.id, rule);
      writeEvent(state, event);
      return { kind: "replaced" };
    },
  };
}

/** Alerts in the order of `AlertStore.list`. */
const latestFirst = (a: Alert, b: Alert) => b.firedAt - a.firedAt || compareBytes(b.id, a.id);

type Evaluation = "due" | "findWatch" | "judge";

function createMemoryEvaluation(state: MemoryState): Transitions<Pick<AlertStore, Evaluation>> {
  const { alerts, alertRules, alertWatches, alertNotifications } = state;

  function isDue(device: Device, now: number, everyone: boolean): boolean {
    const watch = alertWatches.get(device.deviceId);
    if (watch === undefined || watch.dueAt <= now || watch.dueAt > now + mostAheadMs) return true;
    const { lastTelemetryAt, lastSeenAt } = device;
    const heardAt = [lastTelemetryAt, everyone ? lastSeenAt : null];
    return heardAt.some((at) => at !== null && at > watch.receivedAt);
  }

  function isWatched({ revokedAt, ownership }: Device): boolean {
    if (revokedAt !== null) return false;
    const owners = [...alertRules.values()].map(({ ownerId }) => ownerId);
    return owners.includes(null) || (ownership !== null && owners.includes(ownership.ownerId));
  }

  function fire({ alert, event, notification }: AlertTransition & { kind: "firing" }): void {
    const { ruleId, subject, ownerId, deviceId } = alert;
    const isFleet = ruleId === fleetSilenceRule;
    if (!isFleet && !alertRules.has(ruleId)) return;
    if (deviceId !== "") {
      const device = state.devices.get(deviceId);
      if (device === undefined) return;
      if (ownerId !== null && device.ownership?.ownerId !== ownerId) return;
    }
    const earlier = [...alerts.values()].filter(
      (other) => other.ruleId === ruleId && other.subject === subject,
    );
    if (earlier.some(({ clearedAt }) => clearedAt === null)) return;
    const until = earlier.sort(latestFirst)[0]?.mutedUntil ?? 0;
    const isMuted = until > alert.firedAt;
    alerts.set(alert.id, { ...alert, mutedUntil: isMuted ? until : alert.mutedUntil });
    writeEvent(state, event);
    if (!isMuted) queue(notification);
  }

  function queue(notification: AlertNotification | null): void {
    if (notification !== null) alertNotifications.set(notification.id, notification);
  }

  function apply(transition: AlertTransition): void {
    if (transition.kind === "firing") {
      fire(transition);
      return;
    }
    if (transition.kind === "presence") {
      writeEvent(state, transition.event);
      return;
    }
    const alert = alerts.get(transition.alertId);
    if (alert === undefined || alert.clearedAt !== null) return;
    if (transition.kind === "cleared") {
      alerts.set(alert.id, { ...alert, clearedAt: transition.at });
      writeEvent(state, transition.event);
      queue(transition.notification);
    } else if (alert.acknowledgedAt === null) {
      alerts.set(alert.id, { ...alert, remindedAt: transition.at });
      queue(transition.notification);
    }
  }

  return {
    due({ after, now, limit, everyone }) {
      const page = [...state.devices.values()]
        .filter(({ deviceId }) => compareBytes(deviceId, after) > 0)
        .sort((a, b) => compareBytes(a.deviceId, b.deviceId))
        .slice(0, limit);
      const watched = page.filter(isWatched);
      const silences = watched.flatMap(
        ({ deviceId }) => alertWatches.get(deviceId)?.silentAt ?? [],
      );
      return {
        devices: (everyone ? page.filter(({ revokedAt }) => revokedAt === null) : watched)
          .filter((device) => isDue(device, now, everyone))
          .map((device) => ({ device, watch: alertWatches.get(device.deviceId) ?? null })),
        next: page.length === limit ? (page.at(-1)?.deviceId ?? null) : null,
        watched: silences.length,
        overdue: silences.filter((silentAt) => silentAt <= now).length,
      };
    },

    findWatch: (deviceId) => alertWatches.get(deviceId) ?? null,

    judge({ watch, expectedRevision, owner, transitions }) {
      const { deviceId } = watch;
      if ((alertWatches.get(deviceId)?.revision ?? null) !== expectedRevision) {
        return { kind: "conflict" };
      }
      if (deviceId !== "") {
        const device = state.devices.get(deviceId);
        const { ownerId = null, claimedAt = null } = device?.ownership ?? {};
        if (device === undefined) return { kind: "conflict" };
        if (ownerId !== (owner?.ownerId ?? null)) return { kind: "conflict" };
        if (claimedAt !== (owner?.claimedAt ?? null)) return { kind: "conflict" };
      }
      alertWatches.set(deviceId, watch);
      for (const transition of transitions) apply(transition);
      return { kind: "judged" };
    },
  };
}

/** Deletes at most `limit` alerts of a rule, and the rule if fewer were left. */
export function deleteRule(
  { alerts, alertRules, alertNotifications }: MemoryState,
  id: string,
  limit: number,
): { readonly more: boolean } {
  const some = [...alerts.values()].filter(({ ruleId }) => ruleId === id).slice(0, limit);
  for (const [key, { alertId }] of alertNotifications) {
    if (some.some((alert) => alert.id === alertId)) alertNotifications.delete(key);
  }
  for (const alert of some) alerts.delete(alert.id);
  if (some.length === limit) return { more: true };
  alertRules.delete(id);
  return { more: false };
}

/** Orders notifications: those of recipients with fewer come first, then the earliest. */
function inTurn(due: readonly AlertNotification[]): AlertNotification[] {
  const counts = new Map<string | null, number>();
  for (const { ownerId } of due) counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
  const countOf = ({ ownerId }: AlertNotification) => counts.get(ownerId) ?? 0;
  return due.toSorted(
    (a, b) => countOf(a) - countOf(b) || a.dueAt - b.dueAt || compareBytes(a.id, b.id),
  );
}

export function createMemoryAlerts(state: MemoryState): Transitions<AlertStore> {
  const { alerts, alertNotifications } = state;
  const remove = (some: readonly Alert[]) => {
    for (const { id } of some) alerts.delete(id);
    return some.length;
  };
  return {
    ...createMemoryRules(state),
    ...createMemoryEvaluation(state),

    removeRule({ id, limit, event }) {
      if (!state.alertRules.has(id)) return { kind: "unknown" };
      if (deleteRule(state, id, limit).more) return { kind: "more" };
      writeEvent(state, event);
      return { kind: "removed" };
    },

    find: (id) => alerts.get(id) ?? null,

    list: ({ ownerId, deviceId, firing, before, limit }) =>
      [...alerts.values()]
        .filter((alert) => alert.ownerId === ownerId)
        .filter((alert) => deviceId === null || alert.deviceId === deviceId)
        .filter(({ clearedAt }) => !firing || clearedAt === null)
        .filter((alert) => before === null || latestFirst({ ...alert, ...before }, alert) < 0)
        .sort(latestFirst)
        .slice(0, limit),

    firing: (subjects) =>
      [...alerts.values()]
        .filter(({ clearedAt, subject }) => clearedAt === null && subjects.includes(subject))
        .sort((a, b) => compareBytes(a.id, b.id)),

    acknowledge({ id, by, at }) {
      const alert = alerts.get(id);
      if (alert === undefined) return { kind: "unknown" };
      const changes = { acknowledgedAt: at, acknowledgedBy: by };
      if (alert.acknowledgedAt === null) alerts.set(id, { ...alert, ...changes });
      return { kind: "recorded" };
    },

    mute({ id, until }) {
      const alert = alerts.get(id);
      if (alert === undefined) return { kind: "unknown" };
      const isOfSeries = (one: Alert) =>
        one.ruleId === alert.ruleId && one.subject === alert.subject;
      const [latest = alert] = [...alerts.values()].filter(isOfSeries).sort(latestFirst);
      // Later alerts inherit the mute of the latest one.
      for (const one of [alert, latest]) alerts.set(one.id, { ...one, mutedUntil: until });
      return { kind: "recorded" };
    },

    takeNotifications({ now, until, latest = Number.POSITIVE_INFINITY, limit }) {
      const due = [...alertNotifications.values()].filter(
        ({ dueAt }) => dueAt <= now || dueAt > latest,
      );
      const taken = inTurn(due)
        .slice(0, limit)
        .map((one) => ({ ...one, dueAt: until, attempts: one.attempts + 1 }));
      for (const one of taken) alertNotifications.set(one.id, one);
      return taken.sort((a, b) => a.at - b.at || compareBytes(a.id, b.id));
    },

    settleNotification({ id, attempts, delivered, retryAt }) {
      const found = alertNotifications.get(id);
      if (retryAt === null) alertNotifications.delete(id);
      else if (found?.attempts === attempts)
        alertNotifications.set(id, { ...found, delivered, dueAt: retryAt });
    },

    prune: ({ clearedBefore, limit }) =>
      remove(
        [...alerts.values()]
          .filter(({ clearedAt }) => clearedAt !== null && clearedAt < clearedBefore)
          .sort((a, b) => (a.clearedAt ?? 0) - (b.clearedAt ?? 0) || compareBytes(a.id, b.id))
          .slice(0, limit),
      ),
  };
}
