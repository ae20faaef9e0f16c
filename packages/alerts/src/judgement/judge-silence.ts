import type { AlertRule, AlertTransition, Device } from "@device-gateway/core/store";
import type { FiringBudget } from "./firing-budget.js";
import type { FiringAlerts } from "./judge-levels.js";
import type { Subject, Transitions } from "./transitions.js";

export interface SilenceFacts {
  readonly device: Device;
  readonly about: Subject;
  readonly budget: FiringBudget;
  readonly intervalMs: number;
  readonly now: number;
  /** Silence before this time does not count, because the service did not run. */
  readonly countedFrom: number;
  /** How long after the deadline an alert fires, so that devices that fall silent together are counted first. */
  readonly settleMs: number;
  /** Whether an alert may fire about a device that fell silent at a time. */
  mayFire(silentAt: number): boolean;
}

export interface SilenceVerdict {
  readonly transitions: readonly AlertTransition[];
  /** The earliest deadline of the rules whose alert does not fire. */
  readonly silentAt: number | null;
  readonly dueAt: number | null;
}

/** How long to wait if an alert about silence may not fire yet. */
const retryMs = 60_000;

/** Judges the rules about silence, by the time at which telemetry was received. */
export function judgeSilence(
  rules: readonly AlertRule[],
  facts: SilenceFacts,
  firing: FiringAlerts,
  create: Transitions,
): SilenceVerdict {
  const { device, about, intervalMs, now, countedFrom, settleMs } = facts;
  const { lastTelemetryAt, ownership, registeredAt } = device;
  const transitions: AlertTransition[] = [];
  const deadlines: number[] = [];
  for (const rule of rules) {
    if (rule.condition.kind !== "silent") continue;
    const lengthMs = rule.condition.intervals * intervalMs;
    const alert = firing.get(rule.id);
    // A later owner learns nothing of the time before (§7).
    const visibleFrom = rule.ownerId === null ? 0 : (ownership?.visibleFrom ?? 0);
    const sentAt = lastTelemetryAt ?? 0;
    const heardAt = sentAt >= visibleFrom ? sentAt : 0;
    if (alert !== undefined) {
      const silentSince = alert.details["lastTelemetryAt"];
      if (heardAt <= (typeof silentSince === "number" ? silentSince : 0)) continue;
      transitions.push(create.clear(rule, alert, { lastTelemetryAt: heardAt }));
      firing.delete(rule.id);
    }
    const startedAt = ownership?.claimedAt ?? registeredAt;
    const deadline = Math.max(heardAt, startedAt, rule.changedAt, countedFrom) + lengthMs;
    const mayFire = facts.budget.mayFire(rule.id) && facts.mayFire(deadline);
    if (now >= deadline + settleMs && mayFire) {
      facts.budget.spend(rule.id);
      const transition = create.fire(rule, about, { lastTelemetryAt: heardAt });
      firing.set(rule.id, transition.alert);
      transitions.push(transition);
    } else {
      deadlines.push(deadline);
    }
  }
  if (deadlines.length === 0) return { transitions, silentAt: null, dueAt: null };
  const silentAt = Math.min(...deadlines);
  const dueAt = now < silentAt + settleMs ? silentAt + settleMs : now + retryMs;
  return { transitions, silentAt, dueAt };
}
