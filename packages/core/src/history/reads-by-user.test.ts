import { expect, test } from "vitest";
import { createReadsByUser } from "./reads-by-user.js";

/** Creates a read that ends when it is told to. */
function createRead(name: string, log: string[]) {
  let end = { resolve: () => {}, reject: (_: Error) => {} };
  const ended = new Promise<void>((resolve, reject) => {
    end = { resolve, reject };
  });
  const read = async () => {
    log.push(name);
    await ended;
    return name;
  };
  return { read, end };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("the reads of a user run one after another, and those of another user at the same time", async () => {
  const log: string[] = [];
  const readInTurn = createReadsByUser();
  const [first, second, other] = ["first", "second", "other"].map((name) => createRead(name, log));
  if (!first || !second || !other) throw new Error("unreachable");
  const results = [
    readInTurn("a", first.read),
    readInTurn("a", second.read),
    readInTurn("b", other.read),
  ];
  await settle();
  expect(log).toEqual(["first", "other"]);
  first.end.resolve();
  await settle();
  expect(log).toEqual(["first", "other", "second"]);
  second.end.resolve();
  other.end.resolve();
  expect(await Promise.all(results)).toEqual(["first", "second", "other"]);
});

test("a read that fails does not stop the next one", async () => {
  const log: string[] = [];
  const readInTurn = createReadsByUser();
  const failing = createRead("failing", log);
  const failed = readInTurn("a", failing.read);
  const next = readInTurn("a", async () => "next");
  failing.end.reject(new Error("store"));
  await expect(failed).rejects.toThrow("store");
  expect(await next).toBe("next");
});
