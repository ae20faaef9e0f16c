import { expect, it } from "vitest";
import { r5 } from "./r5.js";
import { renderReport } from "./report.js";

for (const store of ["memory", "sqlite"] as const) {
  it(`holds on ${store}`, { timeout: 60_000 }, async () => {
    const report = await r5({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
