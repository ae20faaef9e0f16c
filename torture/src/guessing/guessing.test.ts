import { expect, inject, it, vi } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { storageKinds } from "../storage.js";
import { guessing } from "./guessing.js";

/** Bursts of guesses. In 40, an attacker exceeds a budget that is checked but not reserved: see planted-bugs.test.ts. */
const rounds = 40;

// planted-bugs.test.ts runs it on memory.
for (const store of allTests ? storageKinds : (["sqlite", "postgres"] as const)) {
  it(`guesses stay within their budgets, and valid claims succeed meanwhile, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await guessing({ seed: 1, store, rounds });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
