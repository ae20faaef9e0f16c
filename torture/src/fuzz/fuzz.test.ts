import { expect, inject, it, vi } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { storageKinds } from "../storage.js";
import { fuzz } from "./fuzz.js";

/** The gateway answers alike on each store, so a third of the requests is enough on a database. */
const rounds = { memory: 600, sqlite: 200, postgres: 200 };

for (const store of allTests ? storageKinds : (["memory", "postgres"] as const)) {
  it(`no request gets an undeclared response or hangs, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await fuzz({ seed: 1, store, rounds: rounds[store] });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
