import type { OtaHistoryEvent } from "@device-gateway/core/contract";
import { expect, test } from "vitest";
import { findFailedUpdate } from "./find-failed-update.js";

const event = (
  state: OtaHistoryEvent["state"],
  offeredVersion: string,
  lastResult: string = state,
) => ({ state, offeredVersion, lastResult, message: null });

test("a rejected version shows its reason until the device tries it again", () => {
  const rejected = [event("rejected", "1.4.0", "unknown_key"), event("offered", "1.4.0")];
  const failed = {
    label: "rejected",
    sentence: "The device rejected 1.4.0. It does not know the key that signed this release.",
  };
  expect(findFailedUpdate(rejected, "1.4.0")).toEqual(failed);
  expect(findFailedUpdate([event("offered", "1.4.0"), ...rejected], "1.4.0")).toEqual(failed);
  expect(findFailedUpdate([event("downloading", "1.4.0"), ...rejected], "1.4.0")).toBeUndefined();
  expect(findFailedUpdate(rejected, "1.3.0")).toBeUndefined();
  expect(findFailedUpdate(rejected, null)).toBeUndefined();
});

test("failed, rolled-back and timed-out updates count as failures, with or without a reason", () => {
  const sentence = "The update to 1.4.0 failed.";
  expect(findFailedUpdate([event("failed", "1.4.0")], "1.4.0")).toEqual({
    label: "failed",
    sentence,
  });
  expect(findFailedUpdate([event("rolled_back", "1.4.0")], "1.4.0")?.label).toBe("rolled back");
  expect(findFailedUpdate([event("timed_out", "1.4.0")], "1.4.0")).toEqual({
    label: "timed out",
    sentence: "The update to 1.4.0 timed out.",
  });
  expect(findFailedUpdate([event("succeeded", "1.4.0")], "1.4.0")).toBeUndefined();
});
