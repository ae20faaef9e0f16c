import {
  type Alert,
  type AlertRule,
  type AlertTransition,
  type GatewayStore,
  nextTurn,
  type SecurityEventKind,
  type StoredSecurityEvent,
} from "@device-gateway/core/store";
import { appliesTo } from "./applies-to.js";
import { createEventBudgets } from "./event-budgets.js";
import { type EventFacts, readEventFacts, toReleaseSubject } from "./event-facts.js";
import { enoughTransitions, type Subject, type Transitions } from "./transitions.js";

/** The kinds of events that rules judge. */
export const judgedKinds = [
  "update.moved",
  "release.activated",
  "release.withdrawn",
  "release.halted",
] as const satisfies readonly SecurityEventKind[];

const failures: ReadonlySet<unknown> = new Set(["failed", "rejected", "rolled_back", "timed_out"]);

export interface JudgedEvents {
  readonly transitions: readonly AlertTransition[];
  /** How many of the events were judged. The next call judges the others. */
  readonly judged: number;
}

/** What an event means for the rules that judge it. */
interface Change {
  readonly rules: readonly AlertRule[];
  readonly about: Subject;
  readonly isBad: boolean;
  readonly details: StoredSecurityEvent["details"];
}

const endsUpdate = ({ kind, details: { to } }: StoredSecurityEvent): boolean =>
  kind === "update.moved" && (failures.has(to) || to === "succeeded");

const releaseIdOf = ({ kind, details: { releaseId } }: StoredSecurityEvent): number | null =>
  kind !== "update.moved" && typeof releaseId === "number" ? releaseId : null;

function toUpdateChange(event: StoredSecurityEvent, facts: EventFacts): Change | null {
  const { deviceId, at, details } = event;
  const device = facts.devices.get(deviceId);
  if (device === undefined || !endsUpdate(event)) return null;
  const { to = null, releaseId = null, version = null } = details;
  const rules = facts.rules.filter(
    (rule) =>
      rule.condition.kind === "update_failed" &&
      rule.createdAt <= at &&
      appliesTo(rule, device) &&
      // The owner may not see events from before the claim.
      (rule.ownerId === null || at >= (device.ownership?.visibleFrom ?? 0)),
  );
  const about = { subject: deviceId, deviceId };
  return { rules, about, isBad: failures.has(to), details: { releaseId, version, result: to } };
}

function toReleaseChange(event: StoredSecurityEvent, facts: EventFacts): Change | null {
  const releaseId = releaseIdOf(event);
  const release = releaseId === null ? undefined : facts.releases.get(releaseId);
  if (releaseId === null || release === undefined) return null;
  const { version, targetHardware } = release;
  const rules = facts.rules.filter(
    (rule) =>
      rule.condition.kind === "rollout_halted" &&
      rule.ownerId === null &&
      rule.createdAt <= event.at &&
      (rule.targetHardware ?? targetHardware) === targetHardware,
  );
  const about = { subject: toReleaseSubject(releaseId), deviceId: "" };
  const isBad = event.kind === "release.halted";
  return { rules, about, isBad, details: { releaseId, version } };
}

const keyOf = (ruleId: string, subject: string): string => `${ruleId} ${subject}`;

/**
 * Judges events of the log in their order: failed updates and halted rollouts. A rule judges no event before it
 * existed. Judges at least one event, and no further one that would cause too many transitions.
 */
export async function judgeEvents(
  store: GatewayStore,
  events: readonly StoredSecurityEvent[],
  now: number,
  create: Transitions,
): Promise<JudgedEvents> {
  const deviceIds = new Set(events.filter(endsUpdate).map(({ deviceId }) => deviceId));
  const releaseIds = new Set(events.flatMap((event) => releaseIdOf(event) ?? []));
  const facts = await readEventFacts(store, deviceIds, releaseIds);
  const budgets = createEventBudgets(store.alerts, now);
  /** The alerts that fire after the events that are judged so far, by rule and subject. */
  const firing = new Map<string, Alert>(
    facts.firing.map((alert) => [keyOf(alert.ruleId, alert.subject), alert]),
  );

  async function judge({ rules, about, isBad, details }: Change): Promise<AlertTransition[]> {
    const caused: AlertTransition[] = [];
    for (const rule of rules) {
      const key = keyOf(rule.id, about.subject);
      const alert = firing.get(key);
      if (isBad && alert === undefined) {
        // Only operators cause the events of releases, so these have no limit.
        const isLimited = about.deviceId !== "";
        if (isLimited && !(await budgets.takeBudget(rule, about.deviceId))) continue;
        const transition = create.fire(rule, about, details);
        firing.set(key, transition.alert);
        caused.push(transition);
      } else if (!isBad && alert !== undefined) {
        firing.delete(key);
        caused.push(create.clear(rule, alert, details));
      }
    }
    return caused;
  }

  const transitions: AlertTransition[] = [];
  let judged = 0;
  for (const event of events) {
    const toChange = event.kind === "update.moved" ? toUpdateChange : toReleaseChange;
    const change = toChange(event, facts);
    if (change !== null) {
      await nextTurn();
      const caused = await judge(change);
      if (judged > 0 && transitions.length + caused.length > enoughTransitions) break;
      transitions.push(...caused);
    }
    judged += 1;
  }
  return { transitions, judged };
}
