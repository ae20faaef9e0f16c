import { expect, test } from "vitest";
import type { OtaState } from "../../contract/index.js";
import { impliedReports } from "./implied-reports.js";

const impliedBy = (state: OtaState | null, before: string, runs: string) => {
  const current = state && { releaseId: 1, version: "1.1.0", state };
  return impliedReports({ current }, before, runs).map((one) => `${one.version} ${one.state}`);
};

test("§6 a device that reports another version has succeeded with it", () => {
  expect(impliedBy(null, "1.0.0", "1.1.0")).toEqual(["1.1.0 succeeded"]);
  expect(impliedBy("rebooting", "1.0.0", "1.1.0")).toEqual(["1.1.0 succeeded"]);
  expect(impliedBy("failed", "1.0.0", "1.1.0")).toEqual(["1.1.0 succeeded"]);
  expect(impliedBy("offered", "1.0.0", "1.0.0")).toEqual([]);
});

test("§6 a success that a crash left unrecorded is recorded at the next login", () => {
  expect(impliedBy("downloaded", "1.1.0", "1.1.0")).toEqual(["1.1.0 succeeded"]);
  expect(impliedBy("succeeded", "1.1.0", "1.1.0")).toEqual([]);
});

test("§6 a device that restarts with the old version was rolled back, without a report", () => {
  expect(impliedBy("rebooting", "1.0.0", "1.0.0")).toEqual(["1.1.0 rolled_back"]);
  expect(impliedBy("succeeded", "1.1.0", "1.0.0")).toEqual([
    "1.0.0 succeeded",
    "1.1.0 rolled_back",
  ]);
  expect(impliedBy("installing", "1.0.0", "1.0.0"), "a login to refresh a token").toEqual([]);
});

test("§6 a device that falls back from a version was rolled back from it, whatever update is current", () => {
  expect(impliedBy(null, "1.0.0", "0.9.0")).toEqual(["0.9.0 succeeded", "1.0.0 rolled_back"]);
  expect(impliedBy("offered", "1.0.0", "0.9.0")).toEqual(["0.9.0 succeeded", "1.0.0 rolled_back"]);
});

test("§6 an update is cancelled if the device runs a later version", () => {
  expect(impliedBy("offered", "1.0.0", "1.2.0")).toEqual(["1.2.0 succeeded", "1.1.0 cancelled"]);
  expect(impliedBy("succeeded", "1.1.0", "1.2.0")).toEqual(["1.2.0 succeeded"]);
  expect(impliedBy("failed", "1.0.0", "1.2.0")).toEqual(["1.2.0 succeeded"]);
});
