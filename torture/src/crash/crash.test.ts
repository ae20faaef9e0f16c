import { expect, inject, it, vi } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { crash } from "./crash.js";
import { points } from "./points.js";

it.each(["sqlite", "postgres"] as const)(
  "a SIGKILL of the server loses nothing on %s",
  async (store) => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const beforeCommit = store === "sqlite" || allTests ? [0] : [];
    const atRandomMoments = points[store].length;
    for (const round of [...beforeCommit, atRandomMoments]) {
      const report = await crash({ seed: 1, store, rounds: 1, round });
      expect(report.violations.length, renderReport(report)).toBe(0);
    }
  },
);

it("a server that acknowledges before it commits loses readings", async () => {
  const report = await crash({ seed: 1, store: "sqlite", rounds: 2, round: 0, planted: "hasty" });
  const found = report.violations.filter(({ what }) => /readings are lost/.test(what));
  expect(found.length, renderReport(report)).toBeGreaterThan(0);
});
