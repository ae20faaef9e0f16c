import { expect, test } from "vitest";
import { gatherPart, type HistoryPart } from "./history-part.js";

/** Points 0 up to 999, each with so many values, and how many were read at a time. */
function source(valuesEach: number) {
  const limits: number[] = [];
  const readSome = async (place: string | null, limit: number): Promise<HistoryPart> => {
    limits.push(limit);
    const end = place === null ? 1_000 : Number(place);
    const start = Math.max(0, end - limit);
    const points = Array.from({ length: end - start }, (_, n) => ({
      timestamp: String(start + n),
      values: Array.from({ length: valuesEach }, (__, name) => [String(name), n] as const),
    }));
    return { points, next: start === 0 ? null : String(start) };
  };
  return { limits, readSome };
}

test("§7 a part is read in pieces, the newest first, and comes in the order of time", async () => {
  const { limits, readSome } = source(1);
  const { points, next } = await gatherPart(250, 100, null, readSome);
  expect(limits).toEqual([100, 100, 50]);
  expect(points.map(({ timestamp }) => Number(timestamp))).toEqual(
    Array.from({ length: 250 }, (_, n) => 750 + n),
  );
  expect(next).toBe("750");
  expect(await gatherPart(5_000, 300, "400", readSome)).toMatchObject({ next: null });
});

test("§7 an answer of very many values ends before its limit, and goes on", async () => {
  const { limits, readSome } = source(1_000);
  const { points, next } = await gatherPart(1_000, 100, null, readSome);
  expect([points.length, next, limits]).toEqual([200, "800", [100, 100]]);
});
