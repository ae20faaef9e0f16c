import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { forgery } from "./forgery.js";

for (const store of ["memory", "sqlite"] as const) {
  it(`forged tokens and tokens of earlier epochs get 401, on ${store}`, async () => {
    const report = await forgery({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
