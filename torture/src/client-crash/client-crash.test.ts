import { expect, it } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { renderReport } from "../report.js";
import { clientCrash, killClientAndServer } from "./client-crash.js";

it("§4 readings survive the SIGKILL of client and server, and arrive once", async () => {
  const report = await clientCrash({ seed: 1, store: "sqlite", rounds: 3 });
  expect(report.violations.length, renderReport(report)).toBe(0);
});

it.runIf(allTests)("a client that keeps its readings only in memory loses some", async () => {
  const report = await killClientAndServer({ seed: 2, store: "sqlite", rounds: 3 }, "forgetful");
  const lost = report.violations.filter(({ what }) => /never arrived/.test(what));
  expect(lost.length, renderReport(report)).toBeGreaterThan(0);
});
