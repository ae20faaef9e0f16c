import { expect, test } from "vitest";
import { createInTurn, inTurnOfAll } from "./in-turn.js";

/** Creates work that ends when it is told to. */
function createWork(name: string, log: string[]) {
  let end = { resolve: () => {}, reject: (_: Error) => {} };
  const ended = new Promise<void>((resolve, reject) => {
    end = { resolve, reject };
  });
  const run = async () => {
    log.push(name);
    await ended;
    return name;
  };
  return { run, end };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("the work of a key runs one after another, and that of another key at the same time", async () => {
  const log: string[] = [];
  const inTurn = createInTurn();
  const [first, second, other] = ["first", "second", "other"].map((name) => createWork(name, log));
  if (!first || !second || !other) throw new Error("unreachable");
  const results = [inTurn("a", first.run), inTurn("a", second.run), inTurn("b", other.run)];
  await settle();
  expect(log).toEqual(["first", "other"]);
  first.end.resolve();
  await settle();
  expect(log).toEqual(["first", "other", "second"]);
  second.end.resolve();
  other.end.resolve();
  expect(await Promise.all(results)).toEqual(["first", "second", "other"]);
});

test("the work of a key runs as many pieces at once as allowed", async () => {
  const log: string[] = [];
  const inTurn = createInTurn(2);
  const works = ["first", "second", "third", "fourth"].map((name) => createWork(name, log));
  const results = works.map(({ run }) => inTurn("a", run));
  await settle();
  expect(log).toEqual(["first", "second"]);
  works[1]?.end.resolve();
  await settle();
  expect(log).toEqual(["first", "second", "third"]);
  for (const { end } of works) end.resolve();
  expect(await Promise.all(results)).toEqual(["first", "second", "third", "fourth"]);
});

test("work that fails does not stop the next", async () => {
  const log: string[] = [];
  const inTurn = createInTurn();
  const failing = createWork("failing", log);
  const failed = inTurn("a", failing.run);
  const next = inTurn("a", async () => "next");
  failing.end.reject(new Error("store"));
  await expect(failed).rejects.toThrow("store");
  expect(await next).toBe("next");
});

test("work waits for all its keys, and groups take turns at a key that they share", async () => {
  const log: string[] = [];
  const inTurn = createInTurn();
  const keysOf = {
    first: ["a", "all"],
    second: ["a", "all"],
    third: ["a", "all"],
    other: ["b", "all", "all"],
    alone: ["c"],
  };
  const works = Object.entries(keysOf).map(([name, keys]) => ({ keys, ...createWork(name, log) }));
  const results = works.map(({ keys, run }) => inTurnOfAll(inTurn, keys, run));
  await settle();
  expect(log).toEqual(["first", "alone"]);
  for (const { end } of works) end.resolve();
  expect(await Promise.all(results)).toEqual(Object.keys(keysOf));
  expect(log).toEqual(["first", "alone", "other", "second", "third"]);
});
