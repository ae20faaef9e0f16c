import { expect } from "vitest";
import type { MetricSelection, RecordRange } from "../../store.js";
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
} from "./history-samples.js";
import { registered, sampleRecord } from "./samples.js";
import { type StoreCase, toCase } from "./store-case.js";

/** The promises of `count`, `samples` and `aggregate`. */
export const historyCases: readonly StoreCase[] = [
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
];
