import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { reRegistration } from "./re-registration.js";

for (const store of ["memory", "sqlite"] as const) {
  it(`nobody takes over a device without proof, on ${store}`, async () => {
    const report = await reRegistration({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
