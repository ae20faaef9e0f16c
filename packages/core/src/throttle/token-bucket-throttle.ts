import type { Throttle, ThrottleDraw } from "../ports/throttle.js";

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Full buckets say nothing, so they are dropped once this many are held. */
const sweepAbove = 50_000;

/** Creates token buckets in this process's memory. */
export function createTokenBucketThrottle(): Throttle {
  const buckets = new Map<string, Bucket>();
  let sweepAt = sweepAbove;

  const refill = (bucket: Bucket, { perMinute, now }: ThrottleDraw) => {
    const earned = (Math.max(0, now - bucket.filledAt) * perMinute) / 60_000;
    bucket.tokens = Math.min(perMinute, bucket.tokens + earned);
    bucket.filledAt = now;
  };

  const sweep = (now: number) => {
    for (const [key, bucket] of buckets) if (now - bucket.filledAt >= 60_000) buckets.delete(key);
    sweepAt = Math.max(sweepAbove, buckets.size * 2);
  };

  return {
    async take(draw) {
      const { key, cost, perMinute, now } = draw;
      const bucket = buckets.get(key) ?? { tokens: perMinute, filledAt: now };
      refill(bucket, draw);
      const needed = Math.min(cost, perMinute);
      if (bucket.tokens < needed) {
        const seconds = ((needed - bucket.tokens) * 60) / perMinute;
        return { kind: "empty", retryAfterSeconds: Math.max(1, Math.ceil(seconds)) };
      }
      bucket.tokens -= cost;
      buckets.set(key, bucket);
      if (buckets.size > sweepAt) sweep(now);
      return { kind: "taken" };
    },
    async giveBack(draw) {
      const bucket = buckets.get(draw.key);
      if (bucket === undefined) return;
      refill(bucket, draw);
      bucket.tokens = Math.min(draw.perMinute, bucket.tokens + draw.cost);
    },
  };
}
