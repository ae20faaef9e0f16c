import { expect, inject, it, vi } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { storageKinds } from "../storage.js";
import { claimRace } from "./claim-race.js";

// planted-bugs.test.ts runs it on memory.
for (const store of allTests ? storageKinds : (["sqlite", "postgres"] as const)) {
  it(`exactly one of 200 simultaneous claimants gets the device, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await claimRace({ seed: 1, store, rounds: 1 });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
