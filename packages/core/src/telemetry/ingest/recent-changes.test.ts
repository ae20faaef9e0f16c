import { expect, it } from "vitest";
import { parseOtaStatus } from "../../ota/update/ota-status.js";
import { maxOtaChanges, type ReportedStatus, recentChanges } from "./recent-changes.js";

/** Returns one record for each letter. The letter stands for the content of its `ota` section. */
const said = (letters: string): ReportedStatus[] =>
  Array.from(letters, (lastResult, record) => ({
    record,
    status: parseOtaStatus({ lastResult }) as ReportedStatus["status"],
  }));
const fingerprintOf = (letter: string) => said(letter)[0]?.status.fingerprint ?? null;
const recent = (letters: string, known: string | null = null) => {
  const { statuses, changes } = recentChanges(said(letters), known);
  return [statuses.map(({ status }) => status.lastResult).join(""), changes];
};

it("counts a status that differs from the one before", () => {
  expect(recent("")).toEqual(["", 0]);
  expect(recent("aaabbba")).toEqual(["aaabbba", 3]);
  expect(recent("aaabbba", fingerprintOf("a"))).toEqual(["aaabbba", 2]);
  expect(recent("aaa", fingerprintOf("a"))).toEqual(["aaa", 0]);
});

it("keeps the latest six changes of a request", () => {
  expect(recent("ababab")).toEqual(["ababab", maxOtaChanges]);
  expect(recent("xyababab")).toEqual(["ababab", maxOtaChanges]);
  expect(recent(`${"aab".repeat(100)}bb`)).toEqual(["aabaabaabbb", maxOtaChanges]);
});
