import { expect, test } from "vitest";
import { createTurnLimit } from "./turn-limit.js";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a limited number passes in each turn, in order of arrival, until all have passed", async () => {
  const pass = createTurnLimit(3);
  const passed: number[] = [];
  const all = Array.from({ length: 8 }, async (_, n) => {
    await pass();
    passed.push(n);
  });
  await Promise.resolve();
  const counts = [passed.length];
  while (passed.length < 8) {
    await nextTurn();
    counts.push(passed.length);
  }
  await Promise.all(all);
  expect(counts).toEqual([3, 6, 8]);
  expect(passed).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("a caller that returns at once passes once per turn, and without delay after a pause", async () => {
  const pass = createTurnLimit(1);
  let passed = 0;
  const busy = (async () => {
    for (let n = 0; n < 5; n++) {
      await pass();
      passed += 1;
    }
  })();
  for (let turn = 0; turn < 4; turn++) {
    const before = passed;
    await nextTurn();
    expect(passed - before).toBeLessThanOrEqual(2);
  }
  await busy;
  await nextTurn();
  await nextTurn();
  let atOnce = false;
  void pass().then(() => {
    atOnce = true;
  });
  await Promise.resolve();
  expect(atOnce).toBe(true);
});
