import fc from "fast-check";
import { expect, test } from "vitest";
import { nextTurn } from "../shared/next-turn.js";
import { gatherPart, type HistoryPage, type HistoryPart } from "./history-part.js";

/** Creates points 0 to 999, each with a number of values, and records how many were read at a time. */
function source(valuesEach: number) {
  const limits: number[] = [];
  const readSome = async (place: string | null, limit: number): Promise<HistoryPage> => {
    limits.push(limit);
    const end = place === null ? 1_000 : Number(place);
    const start = Math.max(0, end - limit);
    const points = Array.from({ length: end - start }, (_, n) => ({
      timestamp: String(start + n),
      names: Array.from({ length: valuesEach }, (__, name) => String(name)),
      values: Array.from({ length: valuesEach }, () => n),
    }));
    return { points, next: start === 0 ? null : String(start) };
  };
  return { limits, readSome };
}

const textOf = (json: readonly Uint8Array[]) => `[${Buffer.concat(json).toString().slice(1)}]`;
const pointsOf = ({ json }: HistoryPart) =>
  JSON.parse(textOf(json)) as { readonly timestamp: string }[];

test("§7 a part is read in pieces, newest first, and returned in the order of time", async () => {
  const { limits, readSome } = source(1);
  const part = await gatherPart(
    { limit: 250, pageLimit: 100, start: null, turn: nextTurn },
    readSome,
  );
  const { next } = part;
  const points = pointsOf(part);
  expect(limits).toEqual([100, 100, 50]);
  expect(points.map(({ timestamp }) => Number(timestamp))).toEqual(
    Array.from({ length: 250 }, (_, n) => 750 + n),
  );
  expect(next).toBe("750");
  expect(
    await gatherPart({ limit: 5_000, pageLimit: 300, start: "400", turn: nextTurn }, readSome),
  ).toMatchObject({ next: null });
});

test("§7 a response of very many values ends before its limit and continues with its cursor", async () => {
  const { limits, readSome } = source(1_000);
  const part = await gatherPart(
    { limit: 1_000, pageLimit: 100, start: null, turn: nextTurn },
    readSome,
  );
  const { next } = part;
  expect([pointsOf(part).length, next, limits]).toEqual([200, "800", [100, 100]]);
});

test("§7 points are serialised as JSON.stringify does it, with their metrics in order", async () => {
  const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "7", "0", "a\\.b", "toJSON"));
  const value = fc.oneof(fc.double(), fc.record({ min: fc.integer(), max: fc.nat() }));
  const values = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(fc.array(values, { maxLength: 9 }), async (all) => {
      const points = all.map((each, n) => ({
        timestamp: `t${n}`,
        names: each.map(([key]) => key),
        values: each.map(([, one]) => one),
      }));
      const part = await gatherPart(
        { limit: 10, pageLimit: 10, start: null, turn: nextTurn },
        async () => ({ points, next: null }),
      );
      const expected = all.map((each, n) => ({ ...Object.fromEntries(each), timestamp: `t${n}` }));
      expect(textOf(part.json)).toBe(JSON.stringify(expected));
      expect(part.metrics).toEqual([...new Set(all.flatMap((each) => each.map(([key]) => key)))]);
    }),
  );
});

test("§9 a large response is serialised in many turns of the event loop", async () => {
  const values = Array.from({ length: 1_000 }, (_, n) => n);
  const names = values.map((n) => `m${n}`);
  const points = Array.from({ length: 100 }, (_, n) => ({ timestamp: String(n), names, values }));
  let turns = 0;
  let isOver = false;
  const watch = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(watch);
  };
  setImmediate(watch);
  await gatherPart({ limit: 100, pageLimit: 100, start: null, turn: nextTurn }, async () => ({
    points,
    next: null,
  }));
  isOver = true;
  // 100,000 values, about 4,000 of them in one turn.
  expect(turns).toBeGreaterThanOrEqual(20);
});
