import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../failure.js";

interface Draw {
  /** Which kind of draw; also the name in the RateLimit fields of the answer. */
  readonly bucket: string;
  /** Who draws: a device or an address. */
  readonly who: string;
  readonly perMinute: number;
  readonly cost?: number;
}

const toThrottleDraw = ({ clock }: GatewayContext, { bucket, who, perMinute, cost = 1 }: Draw) => ({
  key: `${bucket}:${who}`,
  cost,
  perMinute,
  now: clock.now(),
});

/** Draws from a token bucket, or says how long to wait (contract §9). */
export async function drawTokens(
  context: GatewayContext,
  draw: Draw,
): Promise<Result<void, Failure<"too_many_requests">>> {
  const outcome = await context.throttle.take(toThrottleDraw(context, draw));
  if (outcome.kind === "taken") return ok(undefined);
  const { bucket: name, perMinute } = draw;
  const { retryAfterSeconds } = outcome;
  return err({ code: "too_many_requests", retryAfterSeconds, bucket: { name, perMinute } });
}

/** Puts back what a draw took. */
export async function giveTokensBack(context: GatewayContext, draw: Draw): Promise<void> {
  await context.throttle.giveBack(toThrottleDraw(context, draw));
}
