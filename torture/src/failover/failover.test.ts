import { expect, it } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { failover } from "./failover.js";

// The tests of the Postgres store fail over one store.
it.runIf(allTests)(
  "loses nothing when a synchronous standby takes over, and serves nothing that an asynchronous one lacks",
  async () => {
    const report = await failover({ seed: 1, store: "postgres" });
    expect(report.lines).toHaveLength(3);
    expect(report.violations.length, renderReport(report)).toBe(0);
  },
);
