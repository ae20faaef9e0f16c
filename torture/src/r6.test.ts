import { expect, it } from "vitest";
import { outages } from "./r6/outages.js";
import { r6 } from "./r6.js";
import { renderReport } from "./report.js";

it.each(["sqlite", "postgres"] as const)("gets through outages on %s", async (store) => {
  expect(outages[store].length).toBeGreaterThan(0);
  const report = await r6({ seed: 1, store });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
