import { fieldHeartbeat } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { parseOtaStatus, stateOf } from "./ota-status.js";

const section = { ...fieldHeartbeat.ota, lastResult: "download-failed", offeredVersion: "1.2.0" };

test("§6 a section that reports that nothing happened is not an event", () => {
  expect(parseOtaStatus(fieldHeartbeat.ota)).toBeNull();
  for (const lastResult of ["", "idle", "no-update-available", "already-current", 5, undefined]) {
    expect(parseOtaStatus({ ...section, lastResult })).toBeNull();
  }
  for (const none of [undefined, null, "text", 5, []]) expect(parseOtaStatus(none)).toBeNull();
});

test("§6 two sections are equal whatever the time of their check, and differ if anything else differs", () => {
  const fingerprint = (changes: object) => parseOtaStatus({ ...section, ...changes })?.fingerprint;
  expect(fingerprint({ lastCheckAtMs: 5 })).toBe(fingerprint({ lastCheckAtMs: 6 }));
  for (const changes of [
    { lastResult: "applied" },
    { offeredVersion: "1.2.1" },
    { lastCheckSucceeded: false },
    { updateAvailable: true },
    { updateApplied: true },
  ]) {
    expect(fingerprint(changes)).not.toBe(fingerprint({}));
  }
});

test("§6 a device's result words are mapped to states", () => {
  const states = {
    "download-failed": "failed",
    "signature mismatch": "failed",
    downloading: "downloading",
    downloaded: "downloaded",
    installing: "installing",
    rebooting: "rebooting",
    "rolled-back": "rolled_back",
    "rejected-downgrade": "rejected",
    "update-available": "offered",
  };
  for (const [lastResult, state] of Object.entries(states)) {
    const status = parseOtaStatus({ ...section, lastResult });
    expect([lastResult, status && stateOf(status)]).toEqual([lastResult, state]);
  }
  const applied = parseOtaStatus({ ...section, lastResult: "updated", updateApplied: true });
  expect(applied && stateOf(applied)).toBe("succeeded");
});
