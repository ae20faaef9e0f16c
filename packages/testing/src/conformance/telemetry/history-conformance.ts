import {
  flattenLeaves,
  flattenRecord,
  type JsonObject,
  type MetricPage,
  type MetricSelection,
  type RecordLeaves,
  type RecordPlace,
  type RecordRange,
  type StoredTelemetryRecord,
} from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardJson } from "../samples/awkward-values.js";
import {
  all,
  hour,
  isIn,
  minute,
  ranges,
  rollUpAll,
  sampleHistory,
  send,
  start,
} from "../samples/history-samples.js";
import { registerSampleDevice, sampleRecord } from "../samples/samples.js";
import { type StoreCase, toCase } from "../samples/store-case.js";

/** Cases for `count`, `samples`, `leaves`, `metrics` and `aggregate` of `TelemetryStore`. */
export const historyCases: readonly StoreCase[] = [
  toCase("history: records of the same time are first and last by arrival", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
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
  }),

  toCase("history: an aggregate contains only the selected metrics", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
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
    "history: samples are read in either order and in pages, and count returns their number",
    async ([a, b]) => {
      const history = sampleHistory(3, 90);
      await registerSampleDevice(a, "gw-1");
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
            if (page.length === 0) break;
          }
          expect(seen).toEqual(order === "oldest_first" ? expected : expected.toReversed());
        }
        expect(await b.telemetry.count({ ...range, atMost: 1_000 })).toBe(expected.length);
        expect(await b.telemetry.count({ ...range, atMost: 3 })).toBe(Math.min(3, expected.length));
      }
    },
  ),

  toCase(
    "history: metrics are read newest first and in pages, with the values of the whole records",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      const names = ["a", "b\\.c", "d.0", "d.e"];
      const values = [
        { a: 1, "b.c": 2.5, d: [true, "text"], note: "x" },
        { a: -0.001, d: { e: 1e300 } },
        { note: "no metric" },
        { d: [3], timestamp: 5, seq: 6, ota: { a: 7 }, a: 8 },
      ];
      const records = Array.from({ length: 40 }, (_, n) => {
        // Several records have the same time; their position orders them.
        const at = start + Math.floor(n / 3) * minute;
        const value = values[n % values.length] as JsonObject;
        return sampleRecord({ at, value, isTimed: false });
      });
      await a.telemetry.append({ deviceId: "gw-1", receivedAt: start, records, once: null });
      const selection = { names: names.slice(0, 2), prefixes: ["d."], topLevel: false };
      for (const range of [
        { deviceId: "gw-1", from: 0, to: start + 30 * minute, receivedFrom: 0 },
        { deviceId: "gw-1", from: start + minute, to: start + 9 * minute, receivedFrom: start },
      ]) {
        const whole = await b.telemetry.samples({
          ...range,
          order: "newest_first",
          after: null,
          limit: 100,
        });
        const expected = whole.map(({ at, position, value }) => ({
          at,
          position,
          metrics: flattenRecord(value).flatMap(({ name, value: number }) =>
            names.includes(name) ? [[name, number]] : [],
          ),
        }));
        for (const limit of [1, 7, expected.length, 100]) {
          const seen: object[] = [];
          let before: RecordPlace | null = null;
          do {
            const page: MetricPage = await b.telemetry.metrics({
              ...range,
              selection,
              before,
              limit,
            });
            expect(page.samples.length).toBeLessThanOrEqual(limit);
            expect(page.samples.length).toBeGreaterThan(0);
            for (const { at, position, names: found, values: numbers } of page.samples) {
              seen.push({ at, position, metrics: found.map((name, n) => [name, numbers[n]]) });
            }
            before = page.next;
          } while (before !== null);
          expect([limit, seen]).toEqual([limit, expected]);
        }
      }
      const none = { deviceId: "gw-1", from: 0, to: start, receivedFrom: 0, selection };
      const nothing = { samples: [], next: null };
      expect(await b.telemetry.metrics({ ...none, before: null, limit: 5 })).toEqual(nothing);
      const unknown = { ...none, deviceId: "gw-9", to: start + hour };
      expect(await b.telemetry.metrics({ ...unknown, before: null, limit: 5 })).toEqual(nothing);
    },
  ),

  toCase(
    "history: leaves are read oldest first and in pages, with the values of the whole records",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      const values = [
        { a: 1, "b.c": "x", d: [true, { e: "" }], none: null },
        { "": { a: 2 }, a: -0.001, timestamp: 5, big: Number.MAX_SAFE_INTEGER },
        { note: "y", d: [] },
        { long: "x".repeat(20_000), n: Object.fromEntries(Array(2_000).fill(0).entries()) },
        awkwardJson,
      ];
      const records = Array.from({ length: 30 }, (_, n) => {
        const value = values[n % values.length] as JsonObject;
        return sampleRecord({ at: start + Math.floor(n / 3) * minute, value, isTimed: false });
      });
      await a.telemetry.append({ deviceId: "gw-1", receivedAt: start, records, once: null });
      const range = { deviceId: "gw-1", from: start + minute, to: start + hour, receivedFrom: 0 };
      const order = "oldest_first" as const;
      const whole = await b.telemetry.samples({ ...range, order, after: null, limit: 100 });
      const wanted = whole.map(({ at, position, value }) => {
        const leaves = flattenLeaves(value);
        const names = leaves.map(([name]) => name);
        return { at, position, names, values: leaves.map(([, leaf]) => leaf) };
      });
      for (const namesOnly of [false, true]) {
        const expected = namesOnly ? wanted.map((each) => ({ ...each, values: [] })) : wanted;
        const seen: RecordLeaves[] = [];
        for (let after: RecordPlace | null = null; ; after = seen.at(-1) ?? null) {
          const page = await b.telemetry.leaves({ ...range, after, limit: 7, namesOnly });
          if (page.length === 0) break;
          seen.push(...page);
        }
        expect(seen).toEqual(expected);
      }
      const unknown = { ...range, deviceId: "gw-9", after: null, limit: 7, namesOnly: false };
      expect(await b.telemetry.leaves(unknown)).toEqual([]);
    },
  ),

  toCase(
    "history: pages of large records are smaller, and no record is missing",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      const pad = "x".repeat(200_000);
      const positions: number[] = [];
      /** Notes that a page has fewer records than there are. */
      const expectSmall = (page: readonly unknown[]) => expect(page.length).toBeLessThan(12);
      for (let n = 0; n < 12; n++) {
        const records = [sampleRecord({ at: start + n, value: { n, pad }, isTimed: false })];
        await a.telemetry.append({ deviceId: "gw-1", receivedAt: start, records, once: null });
      }
      const range = { deviceId: "gw-1", from: start, to: start + hour, receivedFrom: 0 };
      for (let after: RecordPlace | null = null; ; ) {
        const query = { ...range, order: "oldest_first" as const, after, limit: 100 };
        const page: readonly StoredTelemetryRecord[] = await b.telemetry.samples(query);
        expectSmall(page);
        positions.push(...page.map(({ position }) => position));
        after = page.at(-1) ?? null;
        if (page.length === 0) break;
      }
      expect(positions).toHaveLength(12);
      const arrived: number[] = [];
      for (let after = 0; ; after = arrived.at(-1) ?? 0) {
        const page = await b.telemetry.read({ deviceId: "gw-1", after, limit: 100 });
        expectSmall(page);
        arrived.push(...page.map(({ position }) => position));
        if (page.length === 0) break;
      }
      expect(arrived).toEqual(positions);
      const read: number[] = [];
      let before: RecordPlace | null = null;
      const selection = { names: ["n"], prefixes: [], topLevel: false };
      do {
        const query = { ...range, selection, before, limit: 100 };
        const page: MetricPage = await b.telemetry.metrics(query);
        expectSmall(page.samples);
        read.push(...page.samples.map(({ values }) => values[0] as number));
        before = page.next;
      } while (before !== null);
      expect(read).toEqual(Array.from({ length: 12 }, (_, n) => 11 - n));
      const whole = { ...range, intervalMs: minute, selection };
      const counts = (await b.telemetry.aggregate(whole)).map(({ name, count }) => [name, count]);
      expect(counts).toEqual([["n", 12]]);
    },
  ),
];
