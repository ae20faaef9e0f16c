import type {
  GatewayStore,
  MetricBucket,
  MetricSelection,
  RecordRange,
} from "@device-gateway/core/store";
import { expect } from "vitest";
import { createSeededRandom } from "../../fixtures/seeded-random.js";
import { sampleRecord, sampleTime } from "./samples.js";

export const minute = 60_000;
export const hour = 60 * minute;
export const start = Math.floor(sampleTime / hour) * hour;
export const all: MetricSelection = { names: [], prefixes: ["a", "b"], topLevel: false };

export interface Sent {
  readonly at: number;
  readonly receivedAt: number;
  readonly a: number;
  readonly b?: number;
}

/** Returns records of 60 hours with gaps, out of order, some of the same instant. */
export function sampleHistory(seed: number, count: number): Sent[] {
  const bytes = createSeededRandom(seed).bytes(count * 4);
  const byte = (i: number) => bytes[i] as number;
  return Array.from({ length: count }, (_, i) => {
    const at = start + (byte(4 * i) * 256 + byte(4 * i + 1)) * 3_300;
    const receivedAt = at + byte(4 * i + 2) * minute;
    const value = byte(4 * i + 3) - 100;
    return { at, receivedAt, a: value, ...(value % 3 === 0 && { b: value / 2 }) };
  });
}

export async function send(store: GatewayStore, deviceId: string, history: readonly Sent[]) {
  for (const { receivedAt, at, ...values } of history) {
    const records = [sampleRecord({ at, value: values, isTimed: false })];
    await store.telemetry.append({ deviceId, receivedAt, records, once: null });
  }
}

export const isIn =
  ({ from, to, receivedFrom }: RecordRange) =>
  (sent: Sent) =>
    sent.at >= from && sent.at < to && sent.receivedAt >= receivedFrom;

/** Computes what `aggregate` must return from the records that were sent. */
export function plainBuckets(history: readonly Sent[], range: RecordRange, interval: number) {
  const expected = new Map<string, MetricBucket>();
  const ordered = history.filter(isIn(range)).toSorted((x, y) => x.at - y.at);
  for (const sent of ordered) {
    for (const name of ["a", "b"] as const) {
      const value = sent[name];
      if (value === undefined) continue;
      const bucket = Math.floor(sent.at / interval) * interval;
      const key = `${bucket} ${name}`;
      const { min, max, sum, count, first } = expected.get(key) ?? {
        min: value,
        max: value,
        sum: 0,
        count: 0,
        first: value,
      };
      expected.set(key, {
        start: bucket,
        name,
        min: Math.min(min, value),
        max: Math.max(max, value),
        // The values are multiples of one half, so their sums are exact.
        sum: sum + value,
        rest: 0,
        count: count + 1,
        first,
        last: value,
      });
    }
  }
  const order = (x: MetricBucket, y: MetricBucket) =>
    x.start - y.start || (x.name < y.name ? -1 : 1);
  return [...expected.values()].sort(order);
}

export const ranges = (deviceId: string): RecordRange[] => [
  { deviceId, from: 0, to: start + 1_000 * hour, receivedFrom: 0 },
  { deviceId, from: start + 90 * minute, to: start + 40 * hour + 1, receivedFrom: 0 },
  { deviceId, from: start + 7 * hour, to: start + 8 * hour, receivedFrom: 0 },
  { deviceId, from: start + 7 * hour + 1, to: start + 7 * hour + 2, receivedFrom: 0 },
  {
    deviceId,
    from: start + 20 * hour + 7,
    to: start + 50 * hour,
    receivedFrom: start + 20 * hour + 7,
  },
];

export async function check(store: GatewayStore, deviceId: string, history: readonly Sent[]) {
  for (const range of ranges(deviceId)) {
    for (const intervalMs of [10 * minute, hour, 3 * hour, 24 * hour]) {
      const buckets = await store.telemetry.aggregate({ ...range, intervalMs, selection: all });
      const order = (x: MetricBucket, y: MetricBucket) =>
        x.start - y.start || (x.name < y.name ? -1 : 1);
      expect(buckets.toSorted(order)).toEqual(plainBuckets(history, range, intervalMs));
      const starts = buckets.map((bucket) => bucket.start);
      expect(starts).toEqual(starts.toSorted((x, y) => x - y));
    }
  }
}

export async function rollUpAll(store: GatewayStore, before: number): Promise<number> {
  let sum = 0;
  for (let more = true; more; ) {
    const outcome = await store.telemetry.rollUp({ before, limit: 7 });
    sum += outcome.built;
    more = outcome.more;
  }
  return sum;
}

/** Keeps one record for each time, so that first and last do not depend on positions. */
export const distinct = (history: readonly Sent[]) => [
  ...new Map(history.map((sent) => [sent.at, sent])).values(),
];
