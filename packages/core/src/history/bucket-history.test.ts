import { expect, it } from "vitest";
import { dayMs } from "../shared/durations.js";
import type { Turn } from "../shared/turn.js";
import { parseSelection } from "../telemetry/metric-selection.js";
import { readBucketHistory } from "./bucket-history.js";

/** Reads a history of averages from a store without data. Returns the pages and turns in their order. */
async function stepsOf(intervalMs: number, buckets: number) {
  const steps: string[] = [];
  const turn: Turn = async (piece = "charged") => void steps.push(piece);
  const telemetry = {
    async aggregate(_query: object, turnOfStore: () => Promise<void> = async () => {}) {
      steps.push("page");
      for (let n = 0; n < 4; n++) await turnOfStore();
      return [];
    },
  };
  const range = { deviceId: "gw-1", from: 0, to: buckets * intervalMs, receivedFrom: 0 };
  const selection = parseSelection(undefined);
  const query = { intervalMs, selection, aggregates: ["avg" as const], limit: 5_000 };
  const reading = { turn, progress: { records: 0, mostMetrics: 0 } };
  await readBucketHistory(telemetry, range, query, null, reading);
  return steps;
}

const page = ["charged", "page", "charged", "charged", "uncharged", "uncharged", "charged"];

it("charges for two turns of each page of a chart, and for the rest of the page at its end", async () => {
  expect((await stepsOf(100, 610)).slice(0, 14)).toEqual([...page, ...page]);
});

it("reads a chart of a year by day in one page", async () => {
  expect(await stepsOf(dayMs, 366)).toEqual(page);
});
