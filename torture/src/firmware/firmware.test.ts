import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { firmware } from "./firmware.js";

for (const store of ["memory", "sqlite"] as const) {
  it(`no forged, damaged or withdrawn release is offered or installed, on ${store}`, async () => {
    const report = await firmware({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
