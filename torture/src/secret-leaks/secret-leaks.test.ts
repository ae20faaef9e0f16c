import { expect, inject, it, vi } from "vitest";
import { renderReport } from "../report.js";
import { storageKinds } from "../storage.js";
import { secretLeaks } from "./secret-leaks.js";

for (const store of storageKinds) {
  it(`no secret gets into the log or the database, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await secretLeaks({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
