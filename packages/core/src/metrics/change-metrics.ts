import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { patchInTurn } from "../change/patch-in-turn.js";
import type { GatewayContext } from "../context.js";
import type { MetricsAnswer, MetricsPatch } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import { canonicalJson } from "../shared/json.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { User } from "../user/user.js";
import { mergeDescriptions } from "./metric-rules.js";
import { toMetricsAnswer } from "./read-metrics.js";

export interface MetricsChange {
  readonly targetHardware: string;
  /** A merge patch (RFC 7396). Null removes a field, or the whole description of a metric. */
  readonly patch: MetricsPatch;
  /** Whether to change descriptions of this version. Called again if another caller changed them meanwhile. */
  readonly accepts: (metricsVersion: string) => boolean;
  readonly operator: User;
  /** Throws if nobody waits for the change any more. */
  readonly checkDeadline: () => void;
  readonly origin: RequestOrigin;
}

type ChangeFailure = Failure<"invalid_request" | "precondition_failed">;

/** Changes how the metrics of a target hardware are shown (§8). Concurrent patches are all applied, one after the other. */
export function changeMetrics(
  context: GatewayContext,
  change: MetricsChange,
): Promise<Result<MetricsAnswer, ChangeFailure>> {
  const target = `metrics of ${change.targetHardware}`;
  return patchInTurn(context, target, change.checkDeadline, () => changeOnce(context, change));
}

/** Returns `changed` if another process changed the descriptions meanwhile. */
async function changeOnce(
  context: GatewayContext,
  { targetHardware, patch, accepts, operator, origin }: MetricsChange,
): Promise<Result<MetricsAnswer, ChangeFailure> | "changed"> {
  const { store, metrics: rules, clock } = context;
  const expected = await store.metrics.find(targetHardware);
  const answer = toMetricsAnswer(context, targetHardware, expected);
  if (!accepts(answer.metricsVersion)) return err({ code: "precondition_failed" });
  const names = Object.keys(patch);
  const checked = rules.check(targetHardware, mergeDescriptions(expected ?? {}, patch), names);
  if (checked.isErr()) return err({ code: "invalid_request", errors: checked.error });
  // A patch that changes nothing is not in the audit trail.
  if (canonicalJson(checked.value) === canonicalJson(answer.metrics)) return ok(answer);
  const next = Object.keys(checked.value).length === 0 ? null : checked.value;
  const event = makeEvent({
    kind: "metrics.described",
    at: clock.now(),
    deviceId: "",
    actor: operator.id,
    origin,
    details: { targetHardware, names },
  });
  const { kind } = await store.metrics.replace({ targetHardware, expected, next, event });
  return kind === "replaced" ? ok(toMetricsAnswer(context, targetHardware, next)) : "changed";
}
