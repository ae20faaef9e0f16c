import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { failover } from "./failover.js";

it("loses nothing when a synchronous standby takes over, and serves nothing that an asynchronous one lacks", async () => {
  const report = await failover({ seed: 1, store: "postgres" });
  expect(report.lines).toHaveLength(3);
  expect(report.violations.length, renderReport(report)).toBe(0);
});
