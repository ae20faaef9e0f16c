import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { s7 } from "./firmware.js";

for (const store of ["memory", "sqlite"] as const) {
  it(`holds on ${store}`, { timeout: 60_000 }, async () => {
    const report = await s7({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
