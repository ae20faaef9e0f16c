import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { outage } from "./outage.js";
import { outages } from "./outages.js";

it.each(["sqlite", "postgres"] as const)("recovers from outages on %s", async (store) => {
  expect(outages[store].length).toBeGreaterThan(0);
  const report = await outage({ seed: 1, store });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
