import { expect, inject, it, vi } from "vitest";
import { useCheapScrypt } from "../../../examples/server/src/testing/cheap-scrypt.js";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { accounts } from "./accounts.js";

useCheapScrypt();

it.each(allTests ? (["sqlite", "postgres"] as const) : (["sqlite"] as const))(
  "no endpoint, link or order of events gives an account to somebody else, on %s",
  async (store) => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await accounts({ seed: 1, store });
    expect(report.violations.length, renderReport(report)).toBe(0);
  },
);
