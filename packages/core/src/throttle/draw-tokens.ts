import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { ThrottleOutcome } from "../ports/throttle.js";
import type { Awaitable } from "../shared/awaitable.js";
import type { Failure } from "../shared/failure.js";

export interface Draw {
  /** The kind of draw. Also the name in the RateLimit fields of the response. */
  readonly bucket: string;
  /** The client whose bucket it is, such as a device or an address. */
  readonly who: string;
  readonly perMinute: number;
  /** Size of the bucket in tokens. Default: `perMinute`. */
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

/** Draws from a token bucket. The error says how long to wait (§9). */
export function drawTokens(context: GatewayContext, draw: Draw): Awaitable<Drawn> {
  const outcome = context.throttle.take(toThrottleDraw(context, draw));
  // Most throttles return a value, not a promise.
  if ("kind" in outcome) return toResult(outcome, draw);
  return outcome.then((later) => toResult(later, draw));
}

/** Returns the tokens of an earlier draw to their bucket. */
export async function giveTokensBack(context: GatewayContext, draw: Draw): Promise<void> {
  await context.throttle.giveBack(toThrottleDraw(context, draw));
}
