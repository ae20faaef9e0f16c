import { expect, inject, it, vi } from "vitest";
import { renderReport } from "../report.js";
import { storageKinds } from "../storage.js";
import { revocation } from "./revocation.js";

for (const store of storageKinds) {
  it(`an invalidated token is refused by every gateway within a second, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await revocation({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
