import fc from "fast-check";
import { expect, test } from "vitest";
import { coalesce } from "./coalesce.js";
import { StoreUnavailableError } from "./ports/store-unavailable-error.js";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

test("concurrent calls share commits in order, and each gets its own outcome", async () => {
  const batches: number[][] = [];
  const add = coalesce<number, string>({
    batchWeight: 4,
    queueSize: 100,
    async commit(inputs) {
      batches.push([...inputs]);
      await tick();
      return inputs.map((input) => `done ${input}`);
    },
  });
  const first = Promise.all([add(1), add(2)]);
  await tick();
  const later = Promise.all([3, 4, 5, 6, 7].map(add));
  expect(await first).toEqual(["done 1", "done 2"]);
  expect(await later).toEqual([3, 4, 5, 6, 7].map((n) => `done ${n}`));
  expect(batches).toEqual([[1, 2], [3, 4, 5, 6], [7]]);
});

test("calls that wait are rejected together with the commit that found the storage unavailable", async () => {
  let commits = 0;
  const add = coalesce<number, number>({
    batchWeight: 1,
    queueSize: 100,
    async commit(inputs) {
      commits += 1;
      await tick();
      if (commits === 1) throw new StoreUnavailableError("unavailable");
      return inputs;
    },
  });
  const calls = [1, 2, 3].map(add);
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(commits).toBe(1);
  expect(await add(4)).toBe(4);
});

test("heavy inputs are committed in small batches, and an input above the limit is committed alone", async () => {
  const batches: number[][] = [];
  const add = coalesce<number, number>({
    weigh: (input) => input,
    batchWeight: 10,
    queueSize: 100,
    async commit(inputs) {
      batches.push([...inputs]);
      return inputs;
    },
  });
  await Promise.all([4, 6, 1, 50, 9, 1].map(add));
  expect(batches).toEqual([[4, 6], [1], [50], [9, 1]]);
});

/** Commits at most ten units at a time. The last character of an input is its number, the others are its sender. */
function createSenders(weigh: (input: string) => number) {
  const batches: string[] = [];
  const add = coalesce<string, string>({
    weigh,
    senderOf: (input) => input.slice(0, -1),
    batchWeight: 10,
    queueSize: 100,
    async commit(inputs) {
      batches.push(inputs.join());
      await tick();
      return inputs;
    },
  });
  return { batches, add };
}

test("§9 a sender with many heavy inputs delays the others by no more than one of them", async () => {
  const { batches, add } = createSenders((input) => (input.startsWith("heavy") ? 5 : 1));
  const inputs = ["heavy1", "heavy2", "heavy3", "heavy4", "a1", "a2", "b1"];
  expect(await Promise.all(inputs.map(add))).toEqual(inputs);
  expect(batches).toEqual(["heavy1,a1,b1", "heavy2,a2", "heavy3,heavy4"]);
});

test("§9 senders of inputs that fill a commit take turns with the others", async () => {
  const { batches, add } = createSenders((input) => (input.startsWith("full") ? 11 : 1));
  const inputs = ["fullA1", "fullA2", "fullA3", "fullB1", "fullB2", "a1", "a2"];
  const added = inputs.map(add);
  await tick();
  added.push(add("late1"));
  expect(await Promise.all(added)).toEqual([...inputs, "late1"]);
  expect(batches.join(" ")).toBe("fullA1 fullB1 a1,late1 fullA2 fullB2 a2 fullA3");
});

test("an invalid input fails alone, whatever else is in its batch", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (isValid) => {
      const committed: number[] = [];
      const add = coalesce<number, number>({
        batchWeight: 16,
        queueSize: 100,
        async commit(inputs) {
          if (inputs.some((i) => !isValid[i])) throw new Error("invalid");
          committed.push(...inputs);
          return inputs;
        },
      });
      const results = await Promise.allSettled(isValid.map((_, i) => add(i)));
      expect(results.map(({ status }) => status === "fulfilled")).toEqual(isValid);
      expect(committed).toEqual(isValid.flatMap((valid, i) => (valid ? [i] : [])));
    }),
  );
});

test("an unavailable storage is called once for each batch", async () => {
  let commits = 0;
  const add = coalesce<number, number>({
    batchWeight: 8,
    queueSize: 100,
    async commit() {
      commits++;
      throw new StoreUnavailableError("unavailable");
    },
  });
  const results = await Promise.allSettled([1, 2, 3, 4].map(add));
  expect(results.every(({ status }) => status === "rejected")).toBe(true);
  expect(commits).toBe(1);
});

test("§9 calls are rejected at once while the queue is full, and accepted again afterwards", async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const add = coalesce<number, number>({
    batchWeight: 1,
    queueSize: 2,
    async commit(inputs) {
      await gate;
      return inputs;
    },
  });
  const first = add(0);
  await tick();
  const queued = [add(1), add(2)];
  await expect(add(3)).rejects.toThrow(StoreUnavailableError);
  open();
  expect(await Promise.all([first, ...queued])).toEqual([0, 1, 2]);
  expect(await add(4)).toBe(4);
});

test("a deferred flush commits what has arrived until it starts, and its promise covers the commit", async () => {
  const batches: number[][] = [];
  const flushes: (() => Promise<void>)[] = [];
  const add = coalesce<number, number>({
    batchWeight: 10,
    queueSize: 100,
    async commit(inputs) {
      batches.push([...inputs]);
      await tick();
      return inputs;
    },
    defer: (flush) => void flushes.push(flush),
  });
  const calls = [1, 2, 3].map(add);
  await tick();
  expect(batches).toEqual([]);
  await flushes.shift()?.();
  expect(batches).toEqual([[1, 2, 3]]);
  expect(await Promise.all(calls)).toEqual([1, 2, 3]);
  expect(flushes).toEqual([]);
});
