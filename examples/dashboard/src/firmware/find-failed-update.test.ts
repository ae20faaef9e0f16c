import type { OtaHistoryEvent } from "@device-gateway/core/contract";
import { expect, test } from "vitest";
import { findFailedUpdate } from "./find-failed-update.js";

const event = (
  state: OtaHistoryEvent["state"],
  offeredVersion: string,
  lastResult: string = state,
) => ({ state, offeredVersion, lastResult, message: null });

test("a version that was refused says so with its reason, until it is tried again", () => {
  const refused = [event("rejected", "1.4.0", "unknown_key"), event("offered", "1.4.0")];
  const end = {
    word: "refused",
    sentence: "It refused 1.4.0. It does not know the key that this version is signed with.",
  };
  expect(findFailedUpdate(refused, "1.4.0")).toEqual(end);
  expect(findFailedUpdate([event("offered", "1.4.0"), ...refused], "1.4.0")).toEqual(end);
  expect(findFailedUpdate([event("downloading", "1.4.0"), ...refused], "1.4.0")).toBeUndefined();
  expect(findFailedUpdate(refused, "1.3.0")).toBeUndefined();
  expect(findFailedUpdate(refused, null)).toBeUndefined();
});

test("what failed or was rolled back ended badly as well; a device need not say why", () => {
  const sentence = "It failed at 1.4.0.";
  expect(findFailedUpdate([event("failed", "1.4.0")], "1.4.0")).toEqual({ word: "failed", sentence });
  expect(findFailedUpdate([event("rolled_back", "1.4.0")], "1.4.0")?.label).toBe("rolled back");
  expect(findFailedUpdate([event("succeeded", "1.4.0")], "1.4.0")).toBeUndefined();
});
