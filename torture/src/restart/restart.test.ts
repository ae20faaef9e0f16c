import { expect, inject, it, vi } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { restart } from "./restart.js";

it.each(allTests ? (["sqlite", "postgres"] as const) : (["sqlite"] as const))(
  "a restart under load loses nothing on %s",
  async (store) => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await restart({ seed: 1, store, rounds: 1 });
    expect(report.violations.length, renderReport(report)).toBe(0);
  },
);

it.runIf(allTests)("a server that exits at once on SIGTERM breaks requests", async () => {
  const report = await restart({ seed: 1, store: "sqlite", rounds: 1, planted: "abrupt" });
  const found = report.violations.filter(({ what }) => /in flight got|broken off/.test(what));
  expect(found.length, renderReport(report)).toBeGreaterThan(0);
});
