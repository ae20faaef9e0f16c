import { expect, inject, it, vi } from "vitest";
import { renderReport } from "../report.js";
import { storeModel } from "./store-model.js";

// The memory store is the model. planted-bugs.test.ts compares it with itself.
for (const store of ["sqlite", "postgres"] as const) {
  it(`every method of every port behaves like the memory store, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await storeModel({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
