import { expect, it } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { outage } from "./outage.js";
import { outages } from "./outages.js";

it.each(["sqlite", "postgres"] as const)("recovers from outages on %s", async (store) => {
  // The last one is the full disk and the dead network, where the machine can do them.
  const last = outages[store].length - 1;
  const report = await outage({ seed: 1, store, ...(!allTests && { round: last }) });
  // Each outage has a line for the records and one for the alerts and the telemetry sink.
  expect(report.lines).toHaveLength(2 * (allTests ? last + 1 : 1));
  expect(report.violations.length, renderReport(report)).toBe(0);
});
