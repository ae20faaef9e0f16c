import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import { hourMs } from "../shared/durations.js";
import type { Failure } from "../shared/failure.js";
import type { MetricSelection } from "../telemetry/metric-selection.js";
import {
  drawFurtherDashboardTokens,
  mostFurtherTokens,
} from "../throttle/draw-further-dashboard-tokens.js";
import { drawTokens, giveTokensBack } from "../throttle/draw-tokens.js";

/** Work that the request's own token pays for. One unit is roughly a microsecond of CPU time. */
const unitsPerToken = 5_000;
/** Assumed number of metrics of a prefix or of the default selection, until it is known. */
const unknownMetrics = 64;
/** Shortest interval at which devices send records (§5). */
const shortestIntervalMs = 10_000;
/** Largest number of samples that is charged in advance. A device that sends more is charged afterwards. */
const maxEstimated = 50_000;

/** The work of a history request. */
export type HistoryWork =
  /** Records, which are decoded one by one. */
  | { readonly kind: "records"; readonly count: number }
  /** Hours with roll-ups. `mostMetrics`: the largest number of metrics that one was read with, selected or not. */
  | { readonly kind: "hours"; readonly count: number; readonly mostMetrics?: number };

/**
 * Converts work to tokens of the dashboard throttle, beyond the request's own token. A record takes 5 units plus 0.3
 * for each selected metric. An hour of roll-ups takes 1 plus 0.6 for each, plus 0.1 for each other metric, because it is
 * read whole. Each full 5,000 units are one token.
 */
export function toTokens(work: HistoryWork, metrics: number): number {
  return Math.floor((work.count * unitsOfEach(work, metrics)) / unitsPerToken);
}

function unitsOfEach(work: HistoryWork, metrics: number): number {
  if (work.kind === "records") return 5 + 0.3 * metrics;
  const others = Math.max(0, (work.mostMetrics ?? 0) - metrics);
  return 1 + 0.6 * metrics + 0.1 * others;
}

/** Returns an upper limit of the number of metrics that a selection has. */
export const countMetrics = ({ names, prefixes, topLevel }: MetricSelection) =>
  new Set(names).size + (topLevel || prefixes.length > 0 ? unknownMetrics : 0);

interface Span {
  /** Null for raw samples. */
  readonly intervalMs: number | null;
  readonly limit: number;
  readonly from: number;
  readonly to: number;
}

/** Returns an upper limit of the work of a history request, from its parameters only. */
export function estimateWork({ intervalMs, limit, from, to }: Span): HistoryWork {
  if (intervalMs === null) return { kind: "records", count: limit };
  const length = Math.min(to - from, limit * intervalMs);
  if (intervalMs % hourMs === 0) return { kind: "hours", count: Math.ceil(length / hourMs) };
  return { kind: "records", count: Math.min(maxEstimated, Math.ceil(length / shortestIntervalMs)) };
}

/**
 * Corrects the charge of a request to match the work that it actually took. If `works` has several entries, the largest
 * counts.
 */
export type Settle = (works: readonly HistoryWork[], metrics: number) => Promise<void>;

/**
 * Draws the cost of a history request from its user's dashboard tokens (§9), or returns how long to wait. A request
 * costs at most half of the bucket, so a full bucket always suffices.
 */
export async function chargeHistory(
  context: GatewayContext,
  userId: string,
  work: HistoryWork,
  selection: MetricSelection,
): Promise<Result<Settle, Failure<"too_many_requests">>> {
  const estimated = toTokens(work, countMetrics(selection));
  const drawn = await drawFurtherDashboardTokens(context, userId, estimated);
  if (drawn.isErr()) return err(drawn.error);
  const perMinute = context.limits.dashboardPerMinute;
  const draw = { bucket: "dashboard", who: userId, perMinute };
  return ok(async (done, metrics) => {
    const tokens = Math.max(...done.map((each) => toTokens(each, metrics)));
    const excess = Math.min(tokens, mostFurtherTokens(context)) - drawn.value;
    if (excess < 0) await giveTokensBack(context, { ...draw, cost: -excess });
    // If too few tokens are left, the rest is not charged: the response already exists.
    if (excess > 0) (await drawTokens(context, { ...draw, cost: excess })).unwrapOr(undefined);
  });
}
