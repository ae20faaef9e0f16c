import { expect, test } from "vitest";
import { createLongWork } from "./long-work.js";

const limits = { burstMs: 50, share: 0.1, maxChargeMs: 10 };

test("a site works for its burst without a rest, and then rests until its share of the time covers its further work", () => {
  let now = 0;
  const work = createLongWork(limits, () => now);
  for (let n = 0; n < 5; n++) expect(work.charge("a", 10)).toBe(0);
  expect(work.charge("a", 4)).toBeCloseTo(40);
  now += 40;
  expect(work.charge("a", 0)).toBeCloseTo(0);
  expect(work.charge("a", 1)).toBeCloseTo(10);
  expect(work.charge("b", 10)).toBe(0);
});

test("a long piece counts as a bounded one: on a busy server it includes the work of other sites", () => {
  const work = createLongWork({ ...limits, burstMs: 5 }, () => 0);
  expect(work.charge("a", 1_000)).toBeCloseTo(50);
});

test("a bucket is full again after some time, and never fuller", () => {
  let now = 0;
  const work = createLongWork(limits, () => now);
  for (let n = 0; n < 5; n++) work.charge("a", 10);
  now += 10_000;
  for (const site of ["b", "a"]) {
    for (let n = 0; n < 5; n++) expect(work.charge(site, 10)).toBe(0);
    expect(work.charge(site, 1)).toBeCloseTo(10);
  }
});
