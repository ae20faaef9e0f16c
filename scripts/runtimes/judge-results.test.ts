import { expect, test } from "vitest";
import { judgeResults } from "./judge-results.js";

const failed = [{ title: "§6 a download has a length", reason: "expected null to be 64" }];
const expected = { "§6 a download has a length": "The runtime drops it." };

test("a case may fail on a runtime only if it is listed with its reason", () => {
  expect(judgeResults({ passed: ["§1"], failed: [] }, {})).toEqual([]);
  expect(judgeResults({ passed: ["§1"], failed }, expected)).toEqual([]);
  expect(judgeResults({ passed: ["§1"], failed }, {})).toEqual([
    "§6 a download has a length\nexpected null to be 64",
  ]);
});

test("a listed case that passes, or that does not exist, must leave the list", () => {
  const passed = ["§6 a download has a length"];
  expect(judgeResults({ passed, failed: [] }, expected)[0]).toMatch(/This case passes\. Remove it/);
  expect(judgeResults({ passed: ["§1"], failed: [] }, expected)[0]).toMatch(/does not exist/);
});

test("a runtime on which no case passed has failed", () => {
  expect(judgeResults({ passed: [], failed }, expected)).toEqual(["No case passed."]);
});
