import { readFileSync } from "node:fs";
import { fieldHeartbeat } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { otaResultWords } from "../../contract/index.js";
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

test("§6 a device's result words are mapped to states, whatever their case and separators", () => {
  const states = {
    "download-failed": "failed",
    "signature mismatch": "failed",
    "not-verified": "failed",
    "update-not-installed": "failed",
    downloading: "downloading",
    DOWNLOADED: "downloaded",
    installing: "installing",
    rebooting: "rebooting",
    rolledBack: "rolled_back",
    timed_out: "timed_out",
    "rejected-downgrade": "rejected",
    "update-available": "offered",
  };
  for (const [lastResult, state] of Object.entries(states)) {
    const status = parseOtaStatus({ ...section, lastResult });
    expect([lastResult, status && stateOf(status)]).toEqual([lastResult, state]);
    const applied = status && { ...status, updateApplied: true };
    expect(applied && stateOf(applied), "the flags do not decide about a known word").toBe(state);
  }
});

test("§6 the flags decide about a result word that is not in the list", () => {
  for (const lastResult of ["unverified", "no-installable-image", "nothing-failed", "E42"]) {
    const unknown = { lastResult, updateApplied: false, lastCheckSucceeded: true };
    expect(stateOf(unknown)).toBe("offered");
    expect(stateOf({ ...unknown, updateApplied: true })).toBe("succeeded");
    expect(stateOf({ ...unknown, lastCheckSucceeded: false })).toBe("failed");
  }
});

test("§6 the specification lists the result words", () => {
  const text = readFileSync(
    new URL("../../../../../docs/specification.md", import.meta.url),
    "utf8",
  );
  for (const [state, words] of Object.entries(otaResultWords)) {
    expect(text).toContain(`| ${state} | ${words.map((word) => `\`${word}\``).join(", ")} |`);
  }
});
