import { expect, test } from "vitest";
import { heapGrowthNotes } from "./heap-growth.js";

/** A point every 5 seconds of a heap that grows by so many KiB a minute, half of it compiled code. */
const watch = (minutes: number, kibibytes: number) =>
  Array.from({ length: minutes * 12 }, (_, n) => {
    const minute = n / 12;
    const code = (minute * kibibytes * 1024) / 2;
    return { minute, code, heapUsed: 2 * code, rss: 0, external: 0 };
  });

test("a heap that grows misses the goal; its parts are told", () => {
  const [verdict, parts] = heapGrowthNotes(watch(20, 10), 2);
  expect(verdict).toMatch(/^The heap after collection grows by 10\.0 .*9 times 2\.0.*missed\.$/);
  expect(parts).toMatch(/compiled code by 5\.0 .*all else by 5\.0 /);
});

test("a heap that shrinks reaches it", () => {
  expect(heapGrowthNotes(watch(20, -1), 2)[0]).toMatch(/reached\.$/);
});

test("what is too short to tell says how long it takes", () => {
  const [note] = heapGrowthNotes(watch(5, 10), 2);
  expect(note).toMatch(/--minutes 8 or more/);
  expect(heapGrowthNotes(watch(8, 10), 2)[0]).toMatch(/missed/);
  expect(heapGrowthNotes([], 2)).toEqual([note]);
});
