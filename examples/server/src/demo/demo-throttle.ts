import { createTokenBucketThrottle, type Throttle, type ThrottleDraw } from "@device-gateway/core";
import { demoDevice } from "./demo-context.js";

const { deviceId } = demoDevice;

/** The sizes of the demo gateway's buckets: about twice what its recording takes, for batches of any size. */
const recordingTokens: ReadonlyMap<string, number> = new Map([
  [`metrics:${deviceId}`, 1_000_000],
  [`telemetry-bytes:${deviceId}`, 4_000_000],
  [`unclaimed:${deviceId}`, 4_000_000],
]);

/** Makes a bucket of the demo gateway large enough for its recording. */
function widen(draw: ThrottleDraw): ThrottleDraw {
  const tokens = recordingTokens.get(draw.key);
  if (tokens === undefined) return draw;
  return { ...draw, burst: Math.max(tokens, draw.burst ?? draw.perMinute) };
}

/**
 * Creates a throttle in which the demo gateway may send its recording at once: 79 days of readings, before anybody has
 * claimed it. Its buckets refill as slowly as those of other devices, which keep their limits. What the recording takes
 * comes from the total of unclaimed devices too, so with a small total it arrives more slowly.
 */
export function createDemoThrottle(): Throttle {
  const throttle = createTokenBucketThrottle();
  return {
    take: (draw) => throttle.take(widen(draw)),
    giveBack: (draw) => throttle.giveBack(widen(draw)),
  };
}
