import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { timing } from "./timing.js";

it("refusals are identical and cost the same, on sqlite", async () => {
  const report = await timing({ seed: 1, store: "sqlite" });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
