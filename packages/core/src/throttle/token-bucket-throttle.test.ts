import fc from "fast-check";
import { expect, test } from "vitest";
import { createTokenBucketThrottle } from "./token-bucket-throttle.js";

test("§9 a bucket may hold more or fewer tokens than it gains in a minute", async () => {
  const draws = fc.array(
    fc.record({ after: fc.nat(5_000), cost: fc.integer({ min: 1, max: 3 }) }),
    {
      minLength: 1,
      maxLength: 200,
    },
  );
  await fc.assert(
    fc.asyncProperty(draws, fc.integer({ min: 3, max: 60 }), async (steps, burst) => {
      const throttle = createTokenBucketThrottle();
      const draw = { key: "k", perMinute: 30, burst };
      let now = 0;
      let taken = 0;
      for (const { after, cost } of steps) {
        now += after;
        const outcome = await throttle.take({ ...draw, cost, now });
        if (outcome.kind === "taken") taken += cost;
        expect(taken).toBeLessThanOrEqual(burst + now / 2000 + 1e-6);
      }
      const outcomes = [];
      now += 10 * 60_000;
      await throttle.giveBack({ ...draw, cost: 99, now });
      for (let n = 0; n <= burst; n++)
        outcomes.push(await throttle.take({ ...draw, cost: 1, now }));
      expect(outcomes.filter(({ kind }) => kind === "taken")).toHaveLength(burst);
      expect(outcomes.at(-1)).toEqual({ kind: "empty", retryAfterSeconds: 2 });
    }),
    { numRuns: 30 },
  );
});

test("§9 no period allows more than the size of the bucket plus the tokens gained in it", async () => {
  const draws = fc.array(
    fc.record({ after: fc.nat(5_000), cost: fc.integer({ min: 1, max: 10 }) }),
    {
      minLength: 1,
      maxLength: 200,
    },
  );
  await fc.assert(
    fc.asyncProperty(draws, async (steps) => {
      const throttle = createTokenBucketThrottle();
      let now = 0;
      let taken = 0;
      for (const { after, cost } of steps) {
        now += after;
        const outcome = await throttle.take({ key: "k", cost, perMinute: 60, now });
        if (outcome.kind === "taken") taken += cost;
        expect(taken).toBeLessThanOrEqual(60 + now / 1000 + 1e-6);
      }
    }),
  );
});

test("§9 a draw succeeds after the returned number of seconds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(300), fc.integer({ min: 1, max: 400 }), async (first, second) => {
      const throttle = createTokenBucketThrottle();
      const draw = { key: "k", perMinute: 120, now: 0 };
      await throttle.take({ ...draw, cost: first });
      const outcome = await throttle.take({ ...draw, cost: second });
      if (outcome.kind === "taken") return;
      const now = outcome.retryAfterSeconds * 1000;
      expect(await throttle.take({ ...draw, cost: second, now })).toEqual({ kind: "taken" });
    }),
  );
});

test("a cost above the bucket's size is allowed if the bucket is full, and must be refilled before the next draw", async () => {
  const throttle = createTokenBucketThrottle();
  const take = (now: number) => throttle.take({ key: "k", cost: 90, perMinute: 60, now });
  expect(await take(0)).toEqual({ kind: "taken" });
  expect(await take(60_000)).toEqual({ kind: "empty", retryAfterSeconds: 30 });
  expect(await take(90_000)).toEqual({ kind: "taken" });
});

test("returned tokens can be drawn again, but never exceed the bucket's size", async () => {
  const throttle = createTokenBucketThrottle();
  const draw = { key: "k", cost: 1, perMinute: 2, now: 0 };
  await throttle.take(draw);
  for (let i = 0; i < 5; i++) await throttle.giveBack(draw);
  const outcomes = [];
  for (let i = 0; i < 3; i++) outcomes.push((await throttle.take(draw)).kind);
  expect(outcomes).toEqual(["taken", "taken", "empty"]);
});

test("a clock that is set back neither adds nor removes tokens", async () => {
  const throttle = createTokenBucketThrottle();
  const take = (now: number) => throttle.take({ key: "k", cost: 1, perMinute: 1, now });
  expect((await take(100_000)).kind).toBe("taken");
  expect((await take(0)).kind).toBe("empty");
});
