import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCommitTurns } from "./commit-turns.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Starts commits that end when the test says so. */
function createCommits(stores = 3) {
  const startCommit = createCommitTurns(stores);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    start(name: string) {
      startCommit(() => {
        started.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      });
    },
    async end(name: string) {
      ends.get(name)?.();
      await turn();
      await turn();
    },
  };
}

test("commits run one at a time, in the order of their requests", async () => {
  const { started, start, end } = createCommits();
  for (const name of ["a", "b", "c"]) start(name);
  expect(started).toEqual([]);
  await turn();
  expect(started).toEqual(["a"]);
  await end("a");
  expect(started).toEqual(["a", "b"]);
  await end("b");
  await end("c");
  expect(started).toEqual(["a", "b", "c"]);
  start("d");
  await turn();
  expect(started.at(-1)).toBe("d");
  expect(vi.getTimerCount()).toBe(1);
});

test("a commit that waits for locked rows loses its turn after 50 ms", async () => {
  const { started, start, end } = createCommits();
  for (const name of ["locked", "b", "c", "d"]) start(name);
  await turn();
  expect(started).toEqual(["locked"]);
  vi.advanceTimersByTime(49);
  expect(started).toEqual(["locked"]);
  vi.advanceTimersByTime(1);
  await turn();
  expect(started).toEqual(["locked", "b"]);
  // The end of a commit that has lost its turn does not end the turn of another one.
  await end("locked");
  expect(started).toEqual(["locked", "b"]);
  await end("b");
  expect(started).toEqual(["locked", "b", "c"]);
});

test("the more stores there are, the sooner a slow commit loses its turn", async () => {
  const { started, start } = createCommits(64);
  for (let n = 0; n < 64; n++) start(`locked ${n}`);
  await turn();
  for (let ms = 0; ms < 400; ms++) {
    vi.advanceTimersByTime(1);
    await turn();
  }
  expect(started).toHaveLength(64);
});
