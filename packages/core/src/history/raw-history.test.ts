import { expect, test } from "vitest";
import { nextTurn } from "../shared/next-turn.js";
import type { MetricSelection } from "../telemetry/metric-selection.js";
import { readRawHistory } from "./raw-history.js";

const range = { deviceId: "gw-1", from: 0, to: 10_000, receivedFrom: 0 };
const selection: MetricSelection = { names: ["a"], prefixes: [], topLevel: false };

/** Creates samples at 0 to 9,999 in pages of limited size, and records how many were read in each turn. */
function source(largestPage: number) {
  const perTurn: number[] = [0];
  let isOver = false;
  const watch = () => {
    if (isOver) return;
    perTurn.push(0);
    setImmediate(watch);
  };
  setImmediate(watch);
  return {
    perTurn,
    stop: () => {
      isOver = true;
    },
    metrics: async ({ before, limit }: { before: { at: number } | null; limit: number }) => {
      const end = before?.at ?? 10_000;
      const start = Math.max(0, end - Math.min(limit, largestPage));
      const samples = Array.from({ length: end - start }, (_, n) => end - 1 - n).map((at) => ({
        at,
        position: at + 1,
        names: ["a"],
        values: [at],
      }));
      perTurn.push((perTurn.pop() ?? 0) + samples.length);
      return { samples, next: start === 0 ? null : { at: start, position: start + 1 } };
    },
  };
}

test.each([1_000, 30])(
  "§9 at most 100 records are read in one turn (pages of %i)",
  async (page) => {
    const { perTurn, stop, metrics } = source(page);
    const progress = { records: 0, mostMetrics: 0 };
    const part = await readRawHistory({ metrics }, range, { selection, limit: 5_000 }, null, {
      turn: nextTurn,
      progress,
    });
    stop();
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(Math.min(page, 100));
    expect([progress.records, part.next]).toEqual([5_000, "5000:5001"]);
    const text = Buffer.concat(part.json).toString();
    const points = JSON.parse(`[${text.slice(1)}]`) as { a: number }[];
    expect(points.map(({ a }) => a)).toEqual(Array.from({ length: 5_000 }, (_, n) => 5_000 + n));
  },
);
