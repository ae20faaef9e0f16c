import type {
  Alert,
  AlertRule,
  AlertTransition,
  GatewayStore,
  SecurityEventKind,
  StoredSecurityEvent,
} from "@device-gateway/core/store";
import { appliesTo } from "./applies-to.js";
import { createEventBudgets } from "./event-budgets.js";
import type { Transitions } from "./transitions.js";

/** The kinds of events that rules judge. */
export const judgedKinds = [
  "update.moved",
  "release.activated",
  "release.withdrawn",
  "release.halted",
] as const satisfies readonly SecurityEventKind[];

const failures: ReadonlySet<unknown> = new Set(["failed", "rejected", "rolled_back", "timed_out"]);

/**
 * Judges events of the log in their order: failed updates and halted rollouts. A rule judges no event before it
 * existed.
 */
export async function judgeEvents(
  store: GatewayStore,
  events: readonly StoredSecurityEvent[],
  now: number,
  create: Transitions,
): Promise<AlertTransition[]> {
  const found: AlertTransition[] = [];
  /** Alerts that these transitions fired or cleared, by rule and subject. */
  const changed = new Map<string, Alert | null>();
  const budgets = createEventBudgets(store.alerts, now);

  async function firingOf(rule: AlertRule, subject: string): Promise<Alert | null> {
    const known = changed.get(`${rule.id} ${subject}`);
    if (known !== undefined) return known;
    const alerts = await store.alerts.firing([subject]);
    return alerts.find(({ ruleId }) => ruleId === rule.id) ?? null;
  }

  async function apply(
    rules: readonly AlertRule[],
    about: { readonly subject: string; readonly deviceId: string },
    change: { readonly isBad: boolean; readonly details: StoredSecurityEvent["details"] },
  ): Promise<void> {
    for (const rule of rules) {
      const alert = await firingOf(rule, about.subject);
      const key = `${rule.id} ${about.subject}`;
      if (change.isBad && alert === null) {
        // Only operators cause the events of releases, so these have no limit.
        const isLimited = about.deviceId !== "";
        if (isLimited && !(await budgets.takeBudget(rule, about.deviceId))) continue;
        const transition = create.fire(rule, about, change.details);
        changed.set(key, transition.alert);
        found.push(transition);
      } else if (!change.isBad && alert !== null) {
        changed.set(key, null);
        found.push(create.clear(rule, alert, change.details));
      }
    }
  }

  async function judgeUpdate({ deviceId, at, details }: StoredSecurityEvent): Promise<void> {
    const { to, releaseId = null, version = null } = details;
    const isBad = failures.has(to);
    if (!isBad && to !== "succeeded") return;
    const device = await store.devices.find(deviceId);
    if (device === null) return;
    const owners = device.ownership === null ? [null] : [device.ownership.ownerId, null];
    const rules = (await store.alerts.rulesOf(owners)).filter(
      (rule) =>
        rule.condition.kind === "update_failed" &&
        rule.createdAt <= at &&
        appliesTo(rule, device) &&
        // The owner may not see events from before the claim.
        (rule.ownerId === null || at >= (device.ownership?.visibleFrom ?? 0)),
    );
    const about = { subject: deviceId, deviceId };
    await apply(rules, about, { isBad, details: { releaseId, version, result: to ?? null } });
  }

  async function judgeRelease({ kind, at, details }: StoredSecurityEvent): Promise<void> {
    const { releaseId } = details;
    if (typeof releaseId !== "number") return;
    const release = await store.releases.find(releaseId);
    if (release === null) return;
    const { version, targetHardware } = release;
    const rules = (await store.alerts.rulesOf([null])).filter(
      (rule) =>
        rule.condition.kind === "rollout_halted" &&
        rule.createdAt <= at &&
        (rule.targetHardware ?? targetHardware) === targetHardware,
    );
    const about = { subject: `release/${releaseId}`, deviceId: "" };
    const isBad = kind === "release.halted";
    await apply(rules, about, { isBad, details: { releaseId, version } });
  }

  for (const event of events) {
    await (event.kind === "update.moved" ? judgeUpdate(event) : judgeRelease(event));
  }
  return found;
}
