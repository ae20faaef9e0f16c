import { expect, it } from "vitest";
import { describeOutcome } from "./describe-move.js";

it("the outcome of a move has figures only of what this call has copied", () => {
  const outcome = { wasMoved: false, rows: 3_000, records: 2_000, bytes: 5e8, ms: 30_000 };
  expect(describeOutcome(outcome)).toBe(
    "3,000 rows, of which 2,000 of telemetry, from 0.5 GB on the disk, in 0.5 minutes: 1 minutes per GB, 2,500 minutes per 10 million records.",
  );
  expect(describeOutcome({ ...outcome, records: 0 })).toMatch(/: 1 minutes per GB\.$/);
  expect(describeOutcome({ ...outcome, rows: 0 })).toBe("an earlier call has copied the rows.");
});
