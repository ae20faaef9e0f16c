import { expect, inject, it, vi } from "vitest";
import { whyNoWatch } from "../disk/watch-disk.js";
import { renderReport } from "../report.js";
import { powerCut } from "./power-cut.js";

const cannot = whyNoWatch();

it.skipIf(cannot !== undefined)(
  `keeps what was acknowledged when the power goes ${cannot ?? ""}`,
  async () => {
    const report = await powerCut({ seed: 1, store: "sqlite" });
    expect(report.violations.length, renderReport(report)).toBe(0);
  },
);

it.skipIf(cannot !== undefined)("finds a store that acknowledges before it commits", async () => {
  const report = await powerCut({ seed: 2, store: "sqlite", planted: "hasty" });
  const found = report.violations.filter(({ what }) => /lost: reading/.test(what));
  expect(found.length, renderReport(report)).toBeGreaterThan(0);
});

it("hears of a Postgres that forgets what it committed", async () => {
  vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
  const report = await powerCut({ seed: 1, store: "postgres" });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
