import { expect, it } from "vitest";
import { parseOtaStatus } from "../../ota/update/ota-status.js";
import { maxOtaChanges, recentChanges } from "./recent-changes.js";

/** Returns one record for each letter. The letter stands for the content of its `ota` section, a dash for none. */
const said = (letters: string) =>
  Array.from(letters, (lastResult) => ({
    value: lastResult === "-" ? {} : { ota: { lastResult } },
  }));
const fingerprintOf = (lastResult: string) => parseOtaStatus({ lastResult })?.fingerprint ?? null;
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

it("names the record of each status", () => {
  const { statuses } = recentChanges(said("-a-bb-"), null);
  expect(statuses.map(({ record }) => record)).toEqual([1, 3, 4]);
});

it("parses no more `ota` sections than it needs", () => {
  let read = 0;
  const records = Array.from({ length: 500 }, (_, n) => ({
    value: {
      get ota() {
        read += 1;
        return { lastResult: `result-${n}` };
      },
    },
  }));
  expect(recentChanges(records, null).changes).toBe(maxOtaChanges);
  expect(read).toBe(maxOtaChanges + 1);
});
