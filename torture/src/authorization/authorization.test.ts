import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { authorization } from "./authorization.js";

// On memory it runs with a leak planted, which it finds.
it("holds on sqlite", { timeout: 120_000 }, async () => {
  const report = await authorization({ seed: 1, store: "sqlite" });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
