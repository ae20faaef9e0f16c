import { expect, inject, it, vi } from "vitest";
import { useCheapScrypt } from "../../../examples/server/src/testing/cheap-scrypt.js";
import { renderReport } from "../report.js";
import { secretLeaks } from "./secret-leaks.js";

useCheapScrypt();

for (const store of ["sqlite", "postgres"] as const) {
  it(`no secret gets into the log or the database, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await secretLeaks({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}
