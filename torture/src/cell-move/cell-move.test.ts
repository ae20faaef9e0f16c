import { expect, inject, it, vi } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { cellMove } from "./cell-move.js";

it("§1 a cell that moves to another database loses nothing, and nobody writes at its old place, while the mover is killed twice", async () => {
  vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
  const report = await cellMove({ seed: 1, store: "postgres" });
  expect(report.violations.length, renderReport(report)).toBe(0);
});

it.runIf(allTests)(
  "§1 an old place that is opened again gets writes, which the attack finds",
  async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await cellMove({ seed: 1, store: "postgres", planted: "reopened" });
    const found = report.violations.map(({ what }) => what).join();
    expect(found, renderReport(report)).toMatch(/lost.*the server with the stale map acknowledged/);
  },
);
