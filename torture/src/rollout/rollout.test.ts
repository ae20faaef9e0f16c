import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { rollout } from "./rollout.js";

it("§6 a release that fails on 5 % of 10,000 devices halts on its own", async () => {
  const report = await rollout({ seed: 1, store: "sqlite" });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
