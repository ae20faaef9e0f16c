import { expect, it } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { year } from "./year.js";

for (const store of allTests ? (["memory", "sqlite"] as const) : (["sqlite"] as const)) {
  it(`charts and exports exactly what was sent, on ${store}`, async () => {
    const report = await year({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
    expect(report.lines.map(({ rounds }) => rounds > 0)).toEqual([true, true, true, true]);
  });
}
