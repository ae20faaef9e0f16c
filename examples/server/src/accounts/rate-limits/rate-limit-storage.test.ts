import { expect, test } from "vitest";
import { createRateLimitStorage } from "./rate-limit-storage.js";

const rule = { window: 10, max: 3 };
const start = 1_000_000;

function createLimits() {
  const clock = { now: start };
  const { consume } = createRateLimitStorage(() => clock.now);
  const isAllowed = async (key: string) => (await consume(key, rule)).allowed;
  return { clock, consume, isAllowed };
}

test("a client may send so many requests, and again after it has sent none for a window", async () => {
  const { clock, consume, isAllowed } = createLimits();
  for (let n = 0; n < 3; n++) expect(await isAllowed("ann")).toBe(true);
  clock.now += 4_500;
  expect(await consume("ann", rule)).toEqual({ allowed: false, retryAfter: 6 });
  expect(await isAllowed("bob")).toBe(true);
  expect((await consume("ann", { window: 60, max: 1 })).allowed).toBe(true);
  clock.now += 5_500;
  expect(await isAllowed("ann")).toBe(true);
});

test("servers of one process have limits of their own, and a clock that is set back blocks nobody", async () => {
  const { clock, isAllowed } = createLimits();
  for (let n = 0; n < 4; n++) await isAllowed("ann");
  expect(await createLimits().isAllowed("ann")).toBe(true);
  expect(await isAllowed("ann")).toBe(false);
  clock.now -= 3_600_000;
  expect(await isAllowed("ann")).toBe(true);
});
