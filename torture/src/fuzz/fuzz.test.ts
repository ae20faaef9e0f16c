import { expect, inject, it, vi } from "vitest";
import { renderReport } from "../report.js";
import { storageKinds } from "../storage.js";
import { fuzz } from "./fuzz.js";

for (const store of storageKinds) {
  it(`no request gets an undeclared response or hangs, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await fuzz({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
