import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import type { SecurityEventKind } from "../audit/security-event.js";
import type { GatewayContext } from "../context.js";
import type { AlertRuleAnswer, AlertRuleChanges, NewAlertRule } from "../contract/index.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { toBase64Url } from "../shared/bytes.js";
import type { Failure } from "../shared/failure.js";
import { canonicalJson } from "../shared/json.js";
import { nextTurn } from "../shared/next-turn.js";
import { type PageQuery, parseCursor, toPage } from "../shared/page.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { parseTimestamp, toTimestampOrNull } from "../shared/timestamp.js";
import { drawTokens } from "../throttle/draw-tokens.js";
import { mayManage, type OwnerScope, ownerOfScope } from "../user/owner-of-scope.js";
import type { User } from "../user/user.js";
import { toRuleAnswer } from "./alert-answers.js";
import { mostChangeRuns, mostRules, newRules, removalStep } from "./alert-options.js";
import type { AlertRule } from "./alert-rule.js";
import { checkCondition, toCondition } from "./check-rule.js";

export interface RulePage {
  readonly rules: AlertRuleAnswer[];
  readonly nextCursor: string | null;
  readonly evaluatedAt: string | null;
}

type RuleEventKind = Extract<SecurityEventKind, `alert_rule.${string}`>;

const ruleEvent = (
  kind: RuleEventKind,
  { id, deviceId, condition }: AlertRule,
  { user, origin, at }: { user: User; origin: RequestOrigin; at: number },
) =>
  makeEvent({
    ...{ kind, at, origin },
    actor: user.id,
    deviceId: deviceId ?? "",
    details: { ruleId: id, condition: condition.kind },
  });

const toTime = (value: string | number | null): number | null =>
  value === null ? null : (parseTimestamp(value) ?? null);

/** Returns one page of the caller's rules, or of the operators' rules. */
export async function listAlertRules(
  { store }: GatewayContext,
  user: User,
  { limit, cursor, scope }: PageQuery & { readonly scope: OwnerScope },
): Promise<Result<RulePage, Failure<"invalid_request" | "forbidden">>> {
  const owner = ownerOfScope(user, scope);
  if (owner.isErr()) return err(owner.error);
  const after = parseCursor(cursor, "");
  if (after.isErr()) return err(after.error);
  const query = { ownerId: owner.value, after: after.value, limit: limit + 1 };
  const found = await store.alerts.listRules(query);
  const fleet = await store.alerts.findWatch("");
  const beatAt = fleet?.content["beatAt"];
  const { page, nextCursor } = toPage(found, limit, ({ id }) => id);
  return ok({
    rules: page.map(toRuleAnswer),
    nextCursor,
    evaluatedAt: toTimestampOrNull(typeof beatAt === "number" ? beatAt : null),
  });
}

/** Creates a rule of the caller, or of the operators. */
export async function createAlertRule(
  context: GatewayContext,
  user: User,
  scope: OwnerScope,
  given: NewAlertRule,
  origin: RequestOrigin,
): Promise<
  Result<
    AlertRuleAnswer,
    Failure<
      | "invalid_request"
      | "forbidden"
      | "too_many_requests"
      | "device_not_found"
      | "too_many_alert_rules"
    >
  >
> {
  const { store, clock, random } = context;
  const owner = ownerOfScope(user, scope);
  if (owner.isErr()) return err(owner.error);
  const ownerId = owner.value;
  const {
    deviceId = null,
    targetHardware = null,
    reminderSeconds = null,
    mutedUntil = null,
  } = given;
  const condition = toCondition(given.condition);
  const wrong = [...checkCondition(condition, ownerId)];
  if (ownerId === null && deviceId !== null) {
    const message =
      "A rule of the operators cannot be about one device. Leave deviceId out, or send targetHardware.";
    wrong.push({ path: "deviceId", code: "custom", message });
  }
  if (wrong.length > 0) return err({ code: "invalid_request", errors: wrong });
  const draw = { ...newRules, bucket: "alert-rules", who: ownerId ?? "" };
  const drawn = await drawTokens(context, draw);
  if (drawn.isErr()) return err(drawn.error);
  const at = clock.now();
  const rule: AlertRule = {
    ...{ id: toBase64Url(random.bytes(12)), revision: 1, ownerId, deviceId, targetHardware },
    ...{ name: given.name, condition, reminderSeconds, mutedUntil: toTime(mutedUntil) },
    ...{ createdAt: at, changedAt: at },
  };
  const event = ruleEvent("alert_rule.created", rule, { user, origin, at });
  const { kind } = await store.alerts.createRule({ rule, most: mostRules, event });
  if (kind === "unknown_device") return err({ code: "device_not_found" });
  if (kind === "too_many") return err({ code: "too_many_alert_rules" });
  return ok(toRuleAnswer(rule));
}

interface RuleChange {
  readonly ruleId: string;
  readonly changes: AlertRuleChanges;
}

type ChangeFailure = Failure<"invalid_request" | "alert_rule_not_found">;

/**
 * Changes the given fields of a rule. Concurrent changes are applied one after the other.
 * @throws {StoreUnavailableError} if other processes keep changing the rule.
 */
export function changeAlertRule(
  context: GatewayContext,
  user: User,
  change: RuleChange,
  origin: RequestOrigin,
): Promise<Result<AlertRuleAnswer, ChangeFailure>> {
  const target = `alert rule ${change.ruleId}`;
  return context.patchesInTurn(target, async () => {
    for (let runs = 0; runs < mostChangeRuns; runs++) {
      const outcome = await changeOnce(context, user, change, origin);
      if (outcome !== "changed") return outcome;
    }
    throw new StoreUnavailableError(`Other processes keep changing ${target}. Try again.`);
  });
}

/** Returns the rule with the given fields changed. */
function applyChanges(before: AlertRule, changes: AlertRuleChanges): AlertRule {
  const { name = before.name, reminderSeconds = before.reminderSeconds } = changes;
  const condition =
    changes.condition === undefined ? before.condition : toCondition(changes.condition);
  const mutedUntil =
    changes.mutedUntil === undefined ? before.mutedUntil : toTime(changes.mutedUntil);
  return { ...before, name, reminderSeconds, condition, mutedUntil };
}

/** Returns `changed` if another process changed the rule meanwhile. */
async function changeOnce(
  { store, clock }: GatewayContext,
  user: User,
  { ruleId, changes }: RuleChange,
  origin: RequestOrigin,
): Promise<Result<AlertRuleAnswer, ChangeFailure> | "changed"> {
  const before = await store.alerts.findRule(ruleId);
  if (before === null || !mayManage(user, before)) return err({ code: "alert_rule_not_found" });
  const after = applyChanges(before, changes);
  const wrong = checkCondition(after.condition, before.ownerId);
  if (wrong.length > 0) return err({ code: "invalid_request", errors: wrong });
  // A change that changes nothing is not in the audit trail, and evaluation of the rule does not begin anew.
  if (canonicalJson(after) === canonicalJson(before)) return ok(toRuleAnswer(before));
  const at = clock.now();
  const { revision: expectedRevision } = before;
  const rule: AlertRule = { ...after, revision: expectedRevision + 1, changedAt: at };
  const event = ruleEvent("alert_rule.changed", rule, { user, origin, at });
  const { kind } = await store.alerts.replaceRule({ rule, expectedRevision, event });
  return kind === "replaced" ? ok(toRuleAnswer(rule)) : "changed";
}

/** Deletes a rule with its alerts, a few at a time. */
export async function removeAlertRule(
  { store, clock }: GatewayContext,
  user: User,
  ruleId: string,
  origin: RequestOrigin,
): Promise<Result<void, Failure<"alert_rule_not_found">>> {
  const rule = await store.alerts.findRule(ruleId);
  if (rule === null || !mayManage(user, rule)) return err({ code: "alert_rule_not_found" });
  const event = ruleEvent("alert_rule.removed", rule, { user, origin, at: clock.now() });
  for (;;) {
    const { kind } = await store.alerts.removeRule({ id: ruleId, limit: removalStep, event });
    if (kind === "unknown") return err({ code: "alert_rule_not_found" });
    if (kind === "removed") return ok(undefined);
    await nextTurn();
  }
}
