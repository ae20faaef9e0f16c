import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import type { MetricSelection } from "../telemetry/metric-selection.js";
import { drawTokens, giveTokensBack } from "../throttle/draw-tokens.js";

const hourMs = 3_600_000;
/** Work that the token of the request itself pays for. A unit is roughly a microsecond of CPU. */
const unitsPerToken = 5_000;
/** Metrics that are reckoned with while nobody knows how many a prefix or the default stands for. */
const unknownMetrics = 64;
/** The shortest interval at which devices send is ten seconds (contract §5). */
const usualIntervalMs = 10_000;
/** Samples that are reckoned with at most; a device that sends more is charged afterwards. */
const mostReckoned = 50_000;

/** What a history request is going to read. */
export type HistoryWork =
  /** Records, decoded one by one. */
  | { readonly kind: "records"; readonly count: number }
  /** Hours that are rolled up. */
  | { readonly kind: "hours"; readonly count: number };

/**
 * Says what reading takes, in tokens of the dashboard throttle beyond the request's own. A record takes 5
 * units and 0.3 for each metric, an hour of roll-ups 1 and 0.6; each full 5,000 units are a token.
 */
export function toTokens({ kind, count }: HistoryWork, metrics: number): number {
  const each = kind === "records" ? 5 + 0.3 * metrics : 1 + 0.6 * metrics;
  return Math.floor((count * each) / unitsPerToken);
}

const countMetrics = ({ names, prefixes, topLevel }: MetricSelection) =>
  new Set(names).size + (topLevel || prefixes.length > 0 ? unknownMetrics : 0);

interface Span {
  /** Null: raw samples. */
  readonly intervalMs: number | null;
  readonly limit: number;
  readonly from: number;
  readonly to: number;
}

/** Reckons what a history request reads at most, from what it asks for alone. */
export function reckonWork({ intervalMs, limit, from, to }: Span): HistoryWork {
  if (intervalMs === null) return { kind: "records", count: limit };
  const length = Math.min(to - from, limit * intervalMs);
  if (intervalMs % hourMs === 0) return { kind: "hours", count: Math.ceil(length / hourMs) };
  return { kind: "records", count: Math.min(mostReckoned, Math.ceil(length / usualIntervalMs)) };
}

/** Settles what was drawn with what a request turned out to take. */
export type Settle = (work: HistoryWork, metrics: number) => Promise<void>;

/**
 * Draws what a history request may cost from its user's dashboard tokens (contract §9), or says how long to
 * wait. A request never costs more than half of the bucket, so that a full one answers every request.
 */
export async function chargeHistory(
  context: GatewayContext,
  userId: string,
  work: HistoryWork,
  selection: MetricSelection,
): Promise<Result<Settle, Failure<"too_many_requests">>> {
  const perMinute = context.limits.dashboardPerMinute;
  const bounded = (tokens: number) => Math.min(tokens, Math.floor(perMinute / 2));
  const draw = { bucket: "dashboard", who: userId, perMinute };
  const drawn = bounded(toTokens(work, countMetrics(selection)));
  if (drawn > 0) {
    const taken = await drawTokens(context, { ...draw, cost: drawn });
    if (taken.isErr()) {
      // The next try needs the request's own token as well.
      const { retryAfterSeconds = 0 } = taken.error;
      const seconds = retryAfterSeconds + Math.ceil(60 / perMinute);
      return err({ ...taken.error, retryAfterSeconds: seconds });
    }
  }
  return ok(async (done, metrics) => {
    const excess = bounded(toTokens(done, metrics)) - drawn;
    if (excess < 0) await giveTokensBack(context, { ...draw, cost: -excess });
    // What is not there can't be charged any more: the answer is made.
    if (excess > 0) (await drawTokens(context, { ...draw, cost: excess })).unwrapOr(undefined);
  });
}
