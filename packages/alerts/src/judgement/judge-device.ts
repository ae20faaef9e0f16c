import {
  type Alert,
  type AlertRule,
  type AlertTransition,
  type AlertWatch,
  type Device,
  mostAheadMs,
  type StoredTelemetryRecord,
} from "@device-gateway/core/store";
import { createFiringBudget } from "./firing-budget.js";
import { type FiringAlerts, isLevelRule, judgeRecord, judgeWaiting } from "./judge-levels.js";
import { heardAtOf, judgePresence } from "./judge-presence.js";
import { judgeSilence, type SilenceFacts } from "./judge-silence.js";
import { enoughTransitions, reminderAt, type Transitions } from "./transitions.js";
import { type NotedLevel, toContent, type WatchNotes } from "./watch-notes.js";

export interface DeviceFacts extends Omit<SilenceFacts, "about" | "budget"> {
  /** The rules that apply to the device. */
  readonly rules: readonly AlertRule[];
  /** The alerts about the device that fire. */
  readonly alerts: readonly Alert[];
  readonly notes: WatchNotes;
  /** The records after `notes.position`, in order of arrival. */
  readonly records: readonly StoredTelemetryRecord[];
  /** The latest record, for rules that did not judge any yet. */
  readonly latest: StoredTelemetryRecord | null;
  /** Whether more records wait after these. */
  readonly hasMore: boolean;
  /** Whether to judge if the device is online. */
  readonly presence: boolean;
}

export interface DeviceVerdict {
  readonly watch: Omit<AlertWatch, "revision">;
  readonly transitions: readonly AlertTransition[];
}

/** A device is judged at least this often, in case a record was committed after a later one. */
const longestWaitMs = 600_000;

/** Returns whether a rule may judge a record: an owner's rule, only what the owner may see (§7). */
const maySee = ({ ownership }: Device, rule: AlertRule, record: StoredTelemetryRecord): boolean => {
  if (rule.ownerId === null) return true;
  const from = ownership?.visibleFrom ?? 0;
  return record.at >= from && record.receivedAt >= from;
};

/**
 * Judges a device's new records in order of measurement, then its silence, then reminders. A record that is older than
 * the latest judged one changes nothing. After enough transitions, the remaining records wait for the next judgement.
 */
export function judgeDevice(facts: DeviceFacts, create: Transitions): DeviceVerdict {
  const { device, rules, notes, records, latest, now } = facts;
  const { deviceId, lastTelemetryAt, ownership } = device;
  const about = { subject: deviceId, deviceId };
  const claimedAt = ownership?.claimedAt ?? null;
  const isSameOwner = claimedAt === notes.claimedAt;
  const levelRules = rules.filter(isLevelRule);
  const levels = new Map<string, NotedLevel>(
    levelRules.flatMap(({ id, ownerId }) => {
      const level = notes.levels[id];
      return level !== undefined && (isSameOwner || ownerId === null) ? [[id, level] as const] : [];
    }),
  );
  const firing: FiringAlerts = new Map(facts.alerts.map((alert) => [alert.ruleId, alert]));
  const budget = createFiringBudget(notes.spentUntil, now);
  const state = { levels, firing, budget, transitions: create };
  const found: AlertTransition[] = [];
  const judge = (some: typeof levelRules, record: StoredTelemetryRecord) =>
    found.push(
      ...judgeRecord(
        some.filter((rule) => maySee(device, rule, record)),
        record,
        about,
        state,
      ),
    );

  if (latest !== null && latest.position <= notes.position) {
    judge(levelRules.filter(isNew(levels)), latest);
  }
  for (const rule of levelRules) {
    if (!levels.has(rule.id)) {
      levels.set(rule.id, { revision: rule.revision, since: null, waiting: null });
    }
  }
  // A record that a clock far ahead measured does not make later records older.
  let at = notes.at > now + mostAheadMs ? 0 : notes.at;
  let { atPosition } = notes;
  const inOrder = records
    .filter((record) => record.at > at || (record.at === at && record.position > atPosition))
    .sort((a, b) => a.at - b.at || a.position - b.position);
  let judged = 0;
  for (const record of inOrder) {
    if (found.length >= enoughTransitions) break;
    at = record.at;
    atPosition = record.position;
    judge(levelRules, record);
    judged += 1;
  }
  const isComplete = judged === inOrder.length;
  let { position } = notes;
  // If records are left, the next judgement reads the same ones again, and continues with the first that is left.
  if (isComplete) {
    for (const record of records) position = Math.max(position, record.position);
  }

  // The device no longer has the rule's hardware, for example.
  for (const alert of facts.alerts) {
    if (!rules.some(({ id }) => id === alert.ruleId)) found.push(create.clear(null, alert, {}));
  }
  // A remaining record may end the condition of an alert that waits for its turn or is due for a reminder.
  const isCurrent = isComplete && !facts.hasMore;
  const waiting = isCurrent
    ? judgeWaiting(levelRules, about, state)
    : { transitions: [], dueAt: now };
  found.push(...waiting.transitions);
  const silence = judgeSilence(rules, { ...facts, about, budget }, firing, create);
  found.push(...silence.transitions);
  const dues = [...[silence.dueAt ?? Number.POSITIVE_INFINITY, waiting.dueAt], now + longestWaitMs];
  for (const rule of rules) {
    const alert = firing.get(rule.id);
    const next = alert === undefined ? null : reminderAt(rule, alert);
    if (alert === undefined || next === null) continue;
    const isNow = isCurrent && next <= now;
    if (isNow) found.push(create.remind(rule, alert));
    dues.push(isNow ? now + (rule.reminderSeconds ?? 0) * 1_000 : next);
  }
  const presence = facts.presence ? judgePresence({ ...facts, online: notes.online }) : null;
  found.push(...(presence?.transitions ?? []));
  dues.push(presence?.dueAt ?? Number.POSITIVE_INFINITY);
  const dueAt = isCurrent ? Math.min(...dues) : now;
  // A record that arrives later in this millisecond must still count as new.
  const heardAt = Math.min(presence === null ? (lastTelemetryAt ?? 0) : heardAtOf(device), now - 1);
  // Without rules, the requests of a device that is online change nothing until the device could count as offline.
  const isQuiet = rules.length === 0 && facts.alerts.length === 0 && presence?.online === true;
  return {
    watch: {
      deviceId,
      content: toContent({
        ...{ position, at, atPosition, claimedAt, levels: Object.fromEntries(levels) },
        online: presence?.online ?? notes.online,
        spentUntil: budget.toNotes(),
      }),
      receivedAt: isQuiet ? dueAt : heardAt,
      dueAt,
      silentAt: silence.silentAt,
    },
    transitions: found,
  };
}

/** Returns whether a rule, or its present revision, has judged no record of the device. */
export const isNew =
  (levels: ReadonlyMap<string, NotedLevel>) =>
  ({ id, revision }: AlertRule): boolean =>
    levels.get(id)?.revision !== revision;
