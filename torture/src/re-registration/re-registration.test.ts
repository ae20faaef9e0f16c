import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { reRegistration } from "./re-registration.js";

it("nobody takes over a device without proof, on sqlite", async () => {
  const report = await reRegistration({ seed: 1, store: "sqlite", rounds: 500 });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
