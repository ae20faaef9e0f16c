import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { timing } from "./timing.js";

for (const store of ["memory", "sqlite"] as const) {
  it(`refusals are identical and cost the same, on ${store}`, async () => {
    const report = await timing({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
