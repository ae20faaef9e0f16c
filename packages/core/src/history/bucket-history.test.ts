import { expect, it } from "vitest";
import type { Turn } from "../shared/turn.js";
import { parseSelection } from "../telemetry/metric-selection.js";
import { readBucketHistory } from "./bucket-history.js";

it("charges for two turns of each page of a chart, and for the rest of the page at its end", async () => {
  const pieces: (Parameters<Turn>[0] | "next page")[] = [];
  const turn: Turn = async (piece = "charged") => void pieces.push(piece);
  const telemetry = {
    async aggregate(_query: object, turnOfStore: () => Promise<void> = async () => {}) {
      pieces.push("next page");
      for (let n = 0; n < 4; n++) await turnOfStore();
      return [];
    },
  };
  const range = { deviceId: "gw-1", from: 0, to: 61_000, receivedFrom: 0 };
  const buckets = {
    ...{ intervalMs: 100, limit: 5_000 },
    ...{ selection: parseSelection(undefined), aggregates: ["avg" as const] },
  };
  const reading = { turn, progress: { records: 0, mostMetrics: 0 } };
  await readBucketHistory(telemetry, range, buckets, null, reading);
  const page = ["charged", "next page", "charged", "charged", "uncharged", "uncharged", "charged"];
  expect(pieces.slice(0, 14)).toEqual([...page, ...page]);
});
