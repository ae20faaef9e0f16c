import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { firmware } from "./firmware.js";

it("no forged, damaged or withdrawn release is offered or installed, on sqlite", async () => {
  const report = await firmware({ seed: 1, store: "sqlite", rounds: 1 });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
