import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import { drawTokens } from "./draw-tokens.js";

/** Returns the most tokens that a request draws beyond its own: half of the bucket, so a full one always suffices. */
export const mostFurtherTokens = ({ limits }: GatewayContext): number =>
  Math.floor(limits.dashboardPerMinute / 2);

/**
 * Draws dashboard tokens of a user beyond the request's own (§9). Returns the number of drawn tokens: `wanted`, or
 * `mostFurtherTokens` if that is less. The error says how long to wait.
 */
export async function drawFurtherDashboardTokens(
  context: GatewayContext,
  userId: string,
  wanted: number,
): Promise<Result<number, Failure<"too_many_requests">>> {
  const { dashboardPerMinute: perMinute } = context.limits;
  const cost = Math.min(wanted, mostFurtherTokens(context));
  if (cost === 0) return ok(0);
  const drawn = await drawTokens(context, { bucket: "dashboard", who: userId, perMinute, cost });
  if (drawn.isOk()) return ok(cost);
  // The next attempt also needs the request's own token.
  const { retryAfterSeconds = 0 } = drawn.error;
  const seconds = retryAfterSeconds + Math.ceil(60 / perMinute);
  return err({ ...drawn.error, retryAfterSeconds: seconds });
}
