import { expect, inject, it, vi } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { storageKinds } from "../storage.js";
import { faultyStore } from "./faulty-store.js";

for (const store of allTests ? storageKinds : (["memory", "sqlite"] as const)) {
  it(`a failing call of the store causes no wrong answer and no wrong data, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await faultyStore({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
