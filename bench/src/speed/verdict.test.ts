import { expect, test } from "vitest";
import { createLines } from "../measure.js";
import { missingLoadNotes } from "./verdict.js";

test("a bench names a server at which less than 95 % of the load arrives, in the median", () => {
  const { add, all } = createLines();
  for (const rate of [1_000, 960, 400]) add("ingest", "1/s", "quick", rate, true);
  for (const rate of [1_000, 940, 900]) add("ingest", "1/s", "slow", rate, true);
  expect(missingLoadNotes(all(), "ingest", 1_000)).toEqual([
    "slow: did not keep up with the load: 940 of 1000 a second arrived.",
  ]);
});
