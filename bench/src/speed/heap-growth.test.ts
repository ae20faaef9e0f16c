import { expect, test } from "vitest";
import { heapGrowthNotes } from "./heap-growth.js";

/** Returns a point every 5 seconds of a heap that grows by some KiB a minute, half of it compiled code. */
const watch = (minutes: number, kibibytes: number) =>
  Array.from({ length: minutes * 12 }, (_, n) => {
    const minute = n / 12;
    const code = (minute * kibibytes * 1024) / 2;
    return { minute, code, heapUsed: 2 * code, rss: 0, external: 0 };
  });

test("a growing heap misses the goal, and the growth of its parts is reported", () => {
  const [verdict, parts] = heapGrowthNotes(watch(20, 10), 2);
  expect(verdict).toMatch(/^The heap after collection grows by 10\.0 .*9 times 2\.0.*missed\.$/);
  expect(parts).toMatch(/Compiled code grows by 5\.0 .*all else by 5\.0 /);
});

test("a shrinking heap reaches the goal", () => {
  expect(heapGrowthNotes(watch(20, -1), 2)[0]).toMatch(/reached\.$/);
});

test("a run that is too short reports how long it must be", () => {
  const [note] = heapGrowthNotes(watch(5, 10), 2);
  expect(note).toMatch(/--minutes 8 or more/);
  expect(heapGrowthNotes(watch(8, 10), 2)[0]).toMatch(/missed/);
  expect(heapGrowthNotes([], 2)).toEqual([note]);
});
