import { expect, inject, it, vi } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { findWatchProblem } from "../disk/watch-disk.js";
import { renderReport } from "../report.js";
import { powerCut } from "./power-cut.js";

const cannot = findWatchProblem();

it.skipIf(cannot !== undefined)(
  `acknowledged data survives a power cut ${cannot ?? ""}`,
  async () => {
    const report = await powerCut({ seed: 1, store: "sqlite" });
    expect(report.violations.length, renderReport(report)).toBe(0);
  },
);

it.runIf(allTests && cannot === undefined)(
  "a store that acknowledges before it commits loses data in a power cut",
  async () => {
    const report = await powerCut({ seed: 2, store: "sqlite", planted: "hasty" });
    const found = report.violations.filter(({ what }) => /lost: reading/.test(what));
    expect(found.length, renderReport(report)).toBeGreaterThan(0);
  },
);

it("a Postgres that may lose committed data is reported in the log", async () => {
  vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
  const report = await powerCut({ seed: 1, store: "postgres" });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
