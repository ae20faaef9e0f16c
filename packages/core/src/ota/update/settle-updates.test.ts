import { expect, test } from "vitest";
import type { OtaState } from "../../contract/index.js";
import { settlementsOf } from "./settle-updates.js";

const settle = (state: OtaState | null, before: string, runs: string) => {
  const current = state && { releaseId: 1, version: "1.1.0", state };
  return settlementsOf({ current }, before, runs).map((one) => `${one.version} ${one.state}`);
};

test("§6 a device that reports another version has succeeded with it", () => {
  expect(settle(null, "1.0.0", "1.1.0")).toEqual(["1.1.0 succeeded"]);
  expect(settle("rebooting", "1.0.0", "1.1.0")).toEqual(["1.1.0 succeeded"]);
  expect(settle("failed", "1.0.0", "1.1.0")).toEqual(["1.1.0 succeeded"]);
  expect(settle("offered", "1.0.0", "1.0.0")).toEqual([]);
});

test("§6 a success that a crash left unrecorded is recorded at the next login", () => {
  expect(settle("downloaded", "1.1.0", "1.1.0")).toEqual(["1.1.0 succeeded"]);
  expect(settle("succeeded", "1.1.0", "1.1.0")).toEqual([]);
});

test("§6 a device that restarts with the old version was rolled back, without a report", () => {
  expect(settle("rebooting", "1.0.0", "1.0.0")).toEqual(["1.1.0 rolled_back"]);
  expect(settle("succeeded", "1.1.0", "1.0.0")).toEqual(["1.0.0 succeeded", "1.1.0 rolled_back"]);
  expect(settle("installing", "1.0.0", "1.0.0"), "a login to refresh a token").toEqual([]);
});

test("§6 an update is cancelled if the device runs a later version", () => {
  expect(settle("offered", "1.0.0", "1.2.0")).toEqual(["1.2.0 succeeded", "1.1.0 cancelled"]);
  expect(settle("succeeded", "1.1.0", "1.2.0")).toEqual(["1.2.0 succeeded"]);
  expect(settle("failed", "1.0.0", "1.2.0")).toEqual(["1.2.0 succeeded"]);
});
