import {
  bucketStart,
  type GatewayStore,
  type MetricBucket,
  type RecordRange,
} from "@device-gateway/core/store";
import { expect } from "vitest";
import { exactSum, toNearestDouble } from "../../fixtures/exact-sum.js";
import {
  all,
  check,
  distinct,
  hour,
  minute,
  plainBuckets,
  ranges,
  rollUpAll,
  type Sent,
  sampleHistory,
  send,
  start,
} from "../samples/history-samples.js";
import { registerSampleDevice, sampleSecurityEvent } from "../samples/samples.js";
import { type StoreCase, toCase } from "../samples/store-case.js";

/** Cases for `rollUp`, `reopenHours`, and `aggregate` over rolled-up hours. */
export const rollUpCases: readonly StoreCase[] = [
  toCase("history: aggregate is exact before, during and after a roll-up", async ([a, b]) => {
    const [history, late] = [sampleHistory(1, 240), sampleHistory(2, 60)].map(distinct) as [
      Sent[],
      Sent[],
    ];
    await registerSampleDevice(a, "gw-1");
    await registerSampleDevice(a, "gw-2");
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
  }),

  toCase(
    "history: roll-ups outlast their records until they are pruned themselves",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
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
      // A late record must not rebuild an hour whose records were pruned.
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

  toCase(
    "history: sums equal those of the samples, whatever has been rolled up",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      // Doubles that round at every addition, in records of several shapes, some of them late.
      const samples = Array.from({ length: 90 }, (_, i) => ({
        at: start + ((i * 37) % 90) * 2 * minute,
        a: (i % 7) * 0.1 + i * 0.001 - 3,
        ...(i % 4 === 0 && { text: "x" }),
        ...(i % 3 === 0 && { b: 1e6 / (i + 3) }),
      }));
      const range = { ...(ranges("gw-1")[0] as RecordRange), selection: all };
      const expected = (intervalMs: number) =>
        [...new Set(samples.map(({ at }) => bucketStart(at, intervalMs)))]
          .sort((x, y) => x - y)
          .flatMap((begin) =>
            (["a", "b"] as const).map((name) => {
              const values = samples
                .filter(({ at }) => bucketStart(at, intervalMs) === begin)
                .flatMap((sample) => sample[name] ?? []);
              return {
                start: begin,
                name,
                sum: toNearestDouble(exactSum(values)),
                count: values.length,
              };
            }),
          );
      const checkSums = async (store: GatewayStore) => {
        for (const intervalMs of [20 * minute, hour, 3 * hour, 24 * hour]) {
          const buckets = await store.telemetry.aggregate({ ...range, intervalMs });
          const order = (x: { start: number; name: string }, y: { start: number; name: string }) =>
            x.start - y.start || (x.name < y.name ? -1 : 1);
          const found = buckets.map(({ start: begin, name, sum, count }) => {
            return { start: begin, name, sum, count };
          });
          expect(found.sort(order)).toEqual(expected(intervalMs));
        }
      };
      await send(
        a,
        "gw-1",
        samples.slice(0, 60).map((sample) => ({ ...sample, receivedAt: 0 })),
      );
      await rollUpAll(b, start + 24 * hour);
      await send(
        b,
        "gw-1",
        samples.slice(60).map((sample) => ({ ...sample, receivedAt: 0 })),
      );
      await checkSums(a);
      await rollUpAll(a, start + 24 * hour);
      await checkSums(b);
    },
  ),

  toCase("history: reopened hours are rebuilt with the same result", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    await registerSampleDevice(a, "gw-2");
    const history = distinct(sampleHistory(6, 60)).map((sent) => ({
      ...sent,
      receivedAt: sent.at,
    }));
    await send(a, "gw-1", history);
    await send(a, "gw-2", history);
    await rollUpAll(a, start + 1_000 * hour);
    const hours = [...new Set(history.map(({ at }) => bucketStart(at, hour)))];
    const [from, to] = [start + 10 * hour + 1, start + 30 * hour + 1];
    const touched = hours.filter((begin) => begin + hour > from && begin < to);
    const reopen = (deviceId: string, store = b) =>
      store.telemetry.reopenHours({ deviceId, from, to });
    expect(await reopen("gw-1")).toEqual({ reopened: touched.length, kept: 0 });
    expect(await reopen("gw-1", a), "again").toEqual({ reopened: touched.length, kept: 0 });
    expect(await reopen("nobody")).toEqual({ reopened: 0, kept: 0 });
    await check(a, "gw-1", history);
    const built = await rollUpAll(b, start + 1_000 * hour);
    expect([0, touched.length], "a store may build no roll-ups").toContain(built);
    await check(b, "gw-1", history);
    // An hour that has lost records must not be rebuilt from the remaining ones.
    const receivedBefore = start + 20 * hour;
    while ((await a.telemetry.prune({ receivedBefore, limit: 50 })) > 0);
    const gone = touched.filter((begin) => begin < receivedBefore);
    const kept = await reopen("gw-1");
    expect(kept.reopened + kept.kept).toBe(touched.length);
    expect(kept.kept).toBeGreaterThanOrEqual(gone.length);
    await rollUpAll(b, start + 1_000 * hour);
    const query = { ...(ranges("gw-1")[0] as RecordRange), intervalMs: hour, selection: all };
    const byName = (x: MetricBucket, y: MetricBucket) =>
      x.start - y.start || (x.name < y.name ? -1 : 1);
    expect((await a.telemetry.aggregate(query)).toSorted(byName)).toEqual(
      plainBuckets(history, query, hour),
    );
  }),

  toCase("history: erasing a device deletes its history, roll-ups included", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    await send(a, "gw-1", sampleHistory(4, 30));
    await rollUpAll(a, start + 1_000 * hour);
    const event = sampleSecurityEvent("gw-1", "device.erased");
    await b.devices.erase({ deviceId: "gw-1", block: false, event });
    await registerSampleDevice(a, "gw-1");
    const query = { ...(ranges("gw-1")[0] as RecordRange), intervalMs: hour, selection: all };
    expect(await a.telemetry.aggregate(query)).toEqual([]);
  }),
];
