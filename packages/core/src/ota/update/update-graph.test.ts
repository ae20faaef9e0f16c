import { sampleUpdateRules } from "@device-gateway/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { OtaState } from "../../contract/index.js";
import { advanceUpdate } from "./advance-update.js";
import type { OtaSource } from "./ota-event.js";
import {
  afterStep,
  applyReports,
  offered,
  release,
  start,
  toReport,
} from "./testing/apply-reports.js";

/** The states that may follow each state, whatever the source: the graph of decision 13. */
const began: readonly OtaState[] = [
  "downloading",
  "downloaded",
  "verified",
  "installing",
  "rebooting",
];
const ended: readonly OtaState[] = [
  "succeeded",
  "failed",
  "rejected",
  "rolled_back",
  "cancelled",
  "timed_out",
];
const onwards = (state: OtaState) => began.slice(began.indexOf(state));
const graph: Readonly<Record<OtaState, readonly OtaState[]>> = {
  offered: ["offered", ...began, ...ended],
  downloading: [...began, ...ended],
  downloaded: ["downloading", ...onwards("downloaded"), ...ended],
  verified: ["downloading", ...onwards("verified"), ...ended],
  installing: ["downloading", ...onwards("installing"), ...ended],
  rebooting: ["downloading", "rebooting", ...ended],
  succeeded: ["succeeded", "rolled_back"],
  failed: ["failed", "offered", ...began, "succeeded"],
  rejected: ["rejected", "offered", ...began, "succeeded"],
  rolled_back: ["rolled_back", "offered", ...began, "succeeded"],
  cancelled: ["cancelled", "offered", ...began, "succeeded"],
  timed_out: ["timed_out", "offered", ...began, "succeeded"],
};

const anyReport = fc.record({
  state: fc.constantFrom(...(Object.keys(graph) as OtaState[])),
  source: fc.constantFrom<OtaSource>("server", "device", "telemetry"),
  gap: fc.constantFrom(0, 1_000, 200_000, 90_000_000),
  servesImage: fc.boolean(),
});

test("§6 whatever is reported, an update moves only along its graph, and its counts stay correct", () => {
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 40 }), (reports) => {
      let facts = applyReports([offered]).facts;
      let at = start;
      for (const { gap, ...sent } of reports) {
        at += gap;
        const before = facts.update?.state as OtaState;
        const report = toReport({ ...sent, at });
        const step = advanceUpdate(facts, report, sampleUpdateRules);
        facts = afterStep(facts, step);
        const { update, standing, tally } = facts;
        expect(graph[before]).toContain(update?.state);
        if (update === null) throw new Error("The update was lost.");
        expect(standing.current).toEqual({
          releaseId: 1,
          version: release.version,
          state: update.state,
        });
        expect(update.failures).toBeLessThan(sampleUpdateRules.maxFailures);
        expect(update.attempts.length).toBeLessThan(sampleUpdateRules.maxAttempts);
        expect(standing.blocks.length).toBeLessThanOrEqual(1);
        // A device counts once, on one side.
        const counted = {
          succeeded: 0,
          failed: 0,
          ...(update.outcome && { [update.outcome.kind]: 1 }),
        };
        expect(tally).toEqual({ round: 1, ...counted });
        if (update.state === "succeeded") expect(counted.succeeded).toBe(1);
        // Repeating a report moves nothing, except for a download that starts again.
        const again = advanceUpdate(facts, report, sampleUpdateRules);
        if (!sent.servesImage) expect(again.update?.state ?? update.state).toBe(update.state);
      }
    }),
    { numRuns: 300 },
  );
});
