import { expect } from "vitest";
import type { GatewayStore, MetricBucket, MetricSelection, RecordRange } from "../../store.js";
import { createSeededRandom } from "../seeded-random.js";
import { eventOf, registered, sampleRecord, sampleTime } from "./samples.js";
import { type StoreCase, toCase } from "./store-case.js";

const minute = 60_000;
const hour = 60 * minute;
const start = Math.floor(sampleTime / hour) * hour;
const all: MetricSelection = { names: [], prefixes: ["a", "b"], topLevel: false };

interface Sent {
  readonly at: number;
  readonly receivedAt: number;
  readonly a: number;
  readonly b?: number;
}

/** Records of two and a half days with gaps, out of order, some at one instant. */
function sampleHistory(seed: number, count: number): Sent[] {
  const bytes = createSeededRandom(seed).bytes(count * 4);
  const byte = (i: number) => bytes[i] as number;
  return Array.from({ length: count }, (_, i) => {
    const at = start + (byte(4 * i) * 256 + byte(4 * i + 1)) * 3_300;
    const receivedAt = at + byte(4 * i + 2) * minute;
    const value = byte(4 * i + 3) - 100;
    return { at, receivedAt, a: value, ...(value % 3 === 0 && { b: value / 2 }) };
  });
}

async function send(store: GatewayStore, deviceId: string, history: readonly Sent[]) {
  for (const { receivedAt, at, ...values } of history) {
    const records = [sampleRecord({ at, value: values, isTimed: false })];
    await store.telemetry.append({ deviceId, receivedAt, records, once: null });
  }
}

const isIn =
  ({ from, to, receivedFrom }: RecordRange) =>
  (sent: Sent) =>
    sent.at >= from && sent.at < to && sent.receivedAt >= receivedFrom;

/** What `aggregate` must say, worked out from what was sent. */
function plainBuckets(history: readonly Sent[], range: RecordRange, interval: number) {
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
        // Samples are halves: their sums are exact.
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

const ranges = (deviceId: string): RecordRange[] => [
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

async function check(store: GatewayStore, deviceId: string, history: readonly Sent[]) {
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

async function rollUpAll(store: GatewayStore, before: number): Promise<number> {
  let sum = 0;
  for (let more = true; more; ) {
    const outcome = await store.telemetry.rollUp({ before, limit: 7 });
    sum += outcome.built;
    more = outcome.more;
  }
  return sum;
}

/** Distinct times, so that first and last are told without positions. */
const distinct = (history: readonly Sent[]) => [
  ...new Map(history.map((sent) => [sent.at, sent])).values(),
];

/** The promises of `count`, `samples`, `aggregate` and `rollUp`. */
export const historyCases: readonly StoreCase[] = [
  toCase(
    "history: aggregate is exact before, while and after hours are rolled up",
    async ([a, b]) => {
      const [history, late] = [sampleHistory(1, 240), sampleHistory(2, 60)].map(distinct) as [
        Sent[],
        Sent[],
      ];
      await registered(a, "gw-1");
      await registered(a, "gw-2");
      await send(a, "gw-1", history);
      await send(b, "gw-2", late);
      await check(b, "gw-1", history);
      await a.telemetry.rollUp({ before: start + 30 * hour, limit: 5 });
      await check(b, "gw-1", history);
      await rollUpAll(b, start + 40 * hour);
      await check(a, "gw-1", history);
      const times = new Set(history.map(({ at }) => at));
      const fresh = late.filter(({ at }) => !times.has(at));
      await send(b, "gw-1", fresh);
      await check(a, "gw-1", [...history, ...fresh]);
      await rollUpAll(a, start + 1_000 * hour);
      await check(b, "gw-1", [...history, ...fresh]);
      await check(b, "gw-2", late);
      expect(await rollUpAll(b, start + 1_000 * hour)).toBe(0);
    },
  ),

  toCase(
    "history: of several records at one time, first and last are told by arrival",
    async ([a, b]) => {
      await registered(a, "gw-1");
      const at = start + minute;
      await send(
        a,
        "gw-1",
        [3, 1, 2].map((value) => ({ at, receivedAt: at, a: value })),
      );
      const query = { ...(ranges("gw-1")[0] as RecordRange), intervalMs: hour, selection: all };
      const expected = [
        { start, name: "a", min: 1, max: 3, sum: 6, rest: 0, count: 3, first: 3, last: 2 },
      ];
      expect(await b.telemetry.aggregate(query)).toEqual(expected);
      await rollUpAll(b, start + hour);
      expect(await a.telemetry.aggregate(query)).toEqual(expected);
    },
  ),

  toCase("history: only the wanted metrics are in an aggregate", async ([a, b]) => {
    await registered(a, "gw-1");
    const value = { a: 1, bms: { soc: 2, "x.y": 3 }, c: true, d: "text" };
    const at = start;
    const records = [sampleRecord({ at, value, isTimed: false })];
    await a.telemetry.append({ deviceId: "gw-1", receivedAt: at, records, once: null });
    const namesOf = async (selection: Partial<MetricSelection>) => {
      const range = ranges("gw-1")[0] as RecordRange;
      const whole = { names: [], prefixes: [], topLevel: false, ...selection };
      const query = { ...range, intervalMs: hour, selection: whole };
      return (await b.telemetry.aggregate(query)).map(({ name }) => name).sort();
    };
    for (let round = 0; round < 2; round++) {
      expect(await namesOf({ topLevel: true })).toEqual(["a", "c"]);
      expect(await namesOf({ names: ["bms.soc", "none"] })).toEqual(["bms.soc"]);
      expect(await namesOf({ prefixes: ["bms."], names: ["a"] })).toEqual([
        "a",
        "bms.soc",
        "bms.x\\.y",
      ]);
      expect(await namesOf({})).toEqual([]);
      await rollUpAll(a, start + hour);
    }
  }),

  toCase(
    "history: samples come in either order, in pages, and count counts them",
    async ([a, b]) => {
      const history = sampleHistory(3, 90);
      await registered(a, "gw-1");
      await send(a, "gw-1", history);
      for (const range of ranges("gw-1")) {
        const expected = history.filter(isIn(range)).map(({ at }) => at);
        expected.sort((x, y) => x - y);
        for (const order of ["oldest_first", "newest_first"] as const) {
          const seen: number[] = [];
          let after: { at: number; position: number } | null = null;
          for (;;) {
            const page = await b.telemetry.samples({ ...range, order, after, limit: 7 });
            seen.push(...page.map(({ at }) => at));
            after = page.at(-1) ?? null;
            if (page.length < 7) break;
          }
          expect(seen).toEqual(order === "oldest_first" ? expected : expected.toReversed());
        }
        expect(await b.telemetry.count({ ...range, atMost: 1_000 })).toBe(expected.length);
        expect(await b.telemetry.count({ ...range, atMost: 3 })).toBe(Math.min(3, expected.length));
      }
    },
  ),

  toCase(
    "history: hours outlast their records, until they are pruned themselves",
    async ([a, b]) => {
      await registered(a, "gw-1");
      const history = distinct(sampleHistory(5, 80)).map((sent) => ({
        ...sent,
        receivedAt: sent.at,
      }));
      await send(a, "gw-1", history);
      await rollUpAll(a, start + 1_000 * hour);
      const receivedBefore = start + 1_000 * hour;
      const pruned = await a.telemetry.prune({ receivedBefore, limit: 30 });
      expect(pruned).toBe(30);
      expect(await b.telemetry.prune({ receivedBefore, limit: 1_000 })).toBe(history.length - 30);
      const range = ranges("gw-1")[0] as RecordRange;
      expect(await b.telemetry.count({ ...range, atMost: 10 })).toBe(0);
      const query = { ...range, intervalMs: 3 * hour, selection: all };
      const expected = plainBuckets(history, range, 3 * hour);
      const byName = (x: MetricBucket, y: MetricBucket) =>
        x.start - y.start || (x.name < y.name ? -1 : 1);
      expect((await b.telemetry.aggregate(query)).toSorted(byName)).toEqual(expected);
      // An hour that was pruned is not built anew of what came late.
      const late = { at: history[0]?.at ?? 0, receivedAt: receivedBefore, a: 1 };
      await send(a, "gw-1", [late]);
      await rollUpAll(a, receivedBefore);
      const after = await b.telemetry.aggregate(query);
      const sum = (buckets: readonly MetricBucket[]) =>
        buckets.reduce((total, { count }) => total + count, 0);
      expect(sum(after)).toBeGreaterThanOrEqual(sum(expected));
      while ((await a.telemetry.pruneRollUps({ before: receivedBefore, limit: 7 })) > 0);
      await a.telemetry.prune({ receivedBefore: receivedBefore + 1, limit: 10 });
      expect(sum(await b.telemetry.aggregate(query))).toBeLessThanOrEqual(2);
    },
  ),

  toCase("history: an erased device's is gone, also what was rolled up", async ([a, b]) => {
    await registered(a, "gw-1");
    await send(a, "gw-1", sampleHistory(4, 30));
    await rollUpAll(a, start + 1_000 * hour);
    const event = eventOf("gw-1", "device.erased");
    await b.devices.erase({ deviceId: "gw-1", block: false, event });
    await registered(a, "gw-1");
    const query = { ...(ranges("gw-1")[0] as RecordRange), intervalMs: hour, selection: all };
    expect(await a.telemetry.aggregate(query)).toEqual([]);
  }),
];
