import type { Throttle, ThrottleDraw } from "../ports/throttle.js";

interface Bucket {
  tokens: number;
  perMinute: number;
  size: number;
  filledAt: number;
}

/** A full bucket equals a new one, so full buckets are deleted when there are more than this many. */
const sweepAbove = 50_000;

/**
 * Creates token buckets in the memory of this process.
 * @example
 * ```ts
 * const throttle = createTokenBucketThrottle();
 * throttle.take({ key: "auth:203.0.113.7", cost: 1, perMinute: 120, now: Date.now() }); // { kind: "taken" }
 * ```
 */
export function createTokenBucketThrottle(): Throttle {
  const buckets = new Map<string, Bucket>();
  let sweepAt = sweepAbove;

  const earned = ({ filledAt }: Bucket, perMinute: number, now: number) =>
    (Math.max(0, now - filledAt) * perMinute) / 60_000;

  const refill = (bucket: Bucket, { perMinute, burst = perMinute, now }: ThrottleDraw) => {
    bucket.tokens = Math.min(burst, bucket.tokens + earned(bucket, perMinute, now));
    bucket.perMinute = perMinute;
    bucket.size = burst;
    bucket.filledAt = now;
  };

  const sweep = (now: number) => {
    for (const [key, bucket] of buckets) {
      const { tokens, perMinute, size } = bucket;
      if (tokens + earned(bucket, perMinute, now) >= size) buckets.delete(key);
    }
    sweepAt = Math.max(sweepAbove, buckets.size * 2);
  };

  return {
    take(draw) {
      const { key, cost, perMinute, burst: size = perMinute, now } = draw;
      const known = buckets.get(key);
      const bucket = known ?? { tokens: size, perMinute, size, filledAt: now };
      if (known) refill(known, draw);
      const needed = Math.min(cost, size);
      if (bucket.tokens < needed) {
        const seconds = ((needed - bucket.tokens) * 60) / perMinute;
        return { kind: "empty", retryAfterSeconds: Math.max(1, Math.ceil(seconds)) };
      }
      bucket.tokens -= cost;
      if (known === undefined) {
        buckets.set(key, bucket);
        if (buckets.size > sweepAt) sweep(now);
      }
      return { kind: "taken" };
    },
    async giveBack(draw) {
      const bucket = buckets.get(draw.key);
      if (bucket === undefined) return;
      refill(bucket, draw);
      bucket.tokens = Math.min(bucket.size, bucket.tokens + draw.cost);
    },
  };
}
