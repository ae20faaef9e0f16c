import type { Throttle, ThrottleDraw } from "../ports/throttle.js";

interface Bucket {
  tokens: number;
  perMinute: number;
  filledAt: number;
}

/** Full buckets say nothing, so they are dropped once this many are held. */
const sweepAbove = 50_000;

/** Creates token buckets in this process's memory. */
export function createTokenBucketThrottle(): Throttle {
  const buckets = new Map<string, Bucket>();
  let sweepAt = sweepAbove;

  const earned = ({ filledAt }: Bucket, perMinute: number, now: number) =>
    (Math.max(0, now - filledAt) * perMinute) / 60_000;

  const refill = (bucket: Bucket, { perMinute, now }: ThrottleDraw) => {
    bucket.tokens = Math.min(perMinute, bucket.tokens + earned(bucket, perMinute, now));
    bucket.perMinute = perMinute;
    bucket.filledAt = now;
  };

  const sweep = (now: number) => {
    for (const [key, bucket] of buckets) {
      const { tokens, perMinute } = bucket;
      if (tokens + earned(bucket, perMinute, now) >= perMinute) buckets.delete(key);
    }
    sweepAt = Math.max(sweepAbove, buckets.size * 2);
  };

  return {
    take(draw) {
      const { key, cost, perMinute, now } = draw;
      const known = buckets.get(key);
      const bucket = known ?? { tokens: perMinute, perMinute, filledAt: now };
      if (known) refill(known, draw);
      const needed = Math.min(cost, perMinute);
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
      bucket.tokens = Math.min(draw.perMinute, bucket.tokens + draw.cost);
    },
  };
}
