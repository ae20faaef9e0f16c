import type { OtaHistoryEvent } from "@device-gateway/core/contract";
import { expect, test } from "vitest";
import { findBadEnd } from "./find-bad-end.js";

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
  expect(findBadEnd(refused, "1.4.0")).toEqual(end);
  expect(findBadEnd([event("offered", "1.4.0"), ...refused], "1.4.0")).toEqual(end);
  expect(findBadEnd([event("downloading", "1.4.0"), ...refused], "1.4.0")).toBeUndefined();
  expect(findBadEnd(refused, "1.3.0")).toBeUndefined();
  expect(findBadEnd(refused, null)).toBeUndefined();
});

test("what failed or was rolled back ended badly as well; a device need not say why", () => {
  const sentence = "It failed at 1.4.0.";
  expect(findBadEnd([event("failed", "1.4.0")], "1.4.0")).toEqual({ word: "failed", sentence });
  expect(findBadEnd([event("rolled_back", "1.4.0")], "1.4.0")?.word).toBe("rolled back");
  expect(findBadEnd([event("succeeded", "1.4.0")], "1.4.0")).toBeUndefined();
});
