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

test("work with several keys waits for all of them, whatever their order", async () => {
  const log: string[] = [];
  const inTurn = createInTurn();
  const [first, second, third] = ["first", "second", "third"].map((name) => createWork(name, log));
  if (!first || !second || !third) throw new Error("unreachable");
  const results = [
    inTurnOfAll(inTurn, ["a", "b"], first.run),
    inTurnOfAll(inTurn, ["b", "a", "a"], second.run),
    inTurnOfAll(inTurn, ["c"], third.run),
  ];
  await settle();
  expect(log).toEqual(["first", "third"]);
  for (const { end } of [first, second, third]) end.resolve();
  expect(await Promise.all(results)).toEqual(["first", "second", "third"]);
});
