import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { ThrottleOutcome } from "../ports/throttle.js";
import type { Awaitable } from "../shared/awaitable.js";
import type { Failure } from "../shared/failure.js";

export interface Draw {
  /** Which kind of draw; also the name in the RateLimit fields of the answer. */
  readonly bucket: string;
  /** Who draws: a device or an address. */
  readonly who: string;
  readonly perMinute: number;
  /** How many tokens the bucket holds. Default: `perMinute`. */
  readonly burst?: number;
  readonly cost?: number;
}

const toThrottleDraw = (
  { clock }: GatewayContext,
  { bucket, who, perMinute, burst = perMinute, cost = 1 }: Draw,
) => ({ key: `${bucket}:${who}`, cost, perMinute, burst, now: clock.now() });

export type Drawn = Result<void, Failure<"too_many_requests">>;

const taken: Drawn = ok(undefined);

function toResult(outcome: ThrottleOutcome, { bucket: name, perMinute }: Draw): Drawn {
  if (outcome.kind === "taken") return taken;
  const { retryAfterSeconds } = outcome;
  return err({ code: "too_many_requests", retryAfterSeconds, bucket: { name, perMinute } });
}

/** Draws from a token bucket, or says how long to wait (contract §9). */
export function drawTokens(context: GatewayContext, draw: Draw): Awaitable<Drawn> {
  const outcome = context.throttle.take(toThrottleDraw(context, draw));
  // Most throttles know at once.
  if ("kind" in outcome) return toResult(outcome, draw);
  return outcome.then((later) => toResult(later, draw));
}

/** Puts back what a draw took. */
export async function giveTokensBack(context: GatewayContext, draw: Draw): Promise<void> {
  await context.throttle.giveBack(toThrottleDraw(context, draw));
}
