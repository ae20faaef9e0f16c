import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type CommandWaiter, createCommandWaiters } from "./command-waiters.js";

type Listener = (deviceIds: readonly string[] | "all") => void;

let polls: number;
let announce: Listener;

beforeEach(() => {
  polls = 0;
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open(most = 9) {
  return createCommandWaiters({
    deviceCache: {
      subscribe(listener) {
        announce = listener;
      },
    },
    poller: {
      async isFresh() {
        polls++;
        return true;
      },
    },
    most,
  });
}
const must = (waiter: CommandWaiter | undefined): CommandWaiter => {
  if (waiter === undefined) throw new Error("It did not open.");
  return waiter;
};

test("a request wakes when its device changes, also if it changed before the request listens", async () => {
  const waiters = open();
  const [one, two] = [
    must(waiters.open("one", 45, "owner of one")),
    must(waiters.open("two", 45, "owner of two")),
  ];
  announce(["one", "three"]);
  expect(await one.next()).toBe(true);
  const next = Promise.all([one.next(), two.next()]);
  announce("all");
  expect(await next).toEqual([true, true]);
});

test("§11 a request ends after its time, and when the device sends a later one", async () => {
  const waiters = open();
  const earlier = must(waiters.open("one", 45, "owner of one"));
  const later = must(waiters.open("one", 30, "owner of one"));
  expect(await earlier.next()).toBe(false);
  earlier.close();
  expect(waiters.count()).toBe(1);
  const end = later.next();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await end).toBe(false);
  later.close();
  expect(waiters.count()).toBe(0);
});

test("§11 the change feed is polled while requests wait, and only then", async () => {
  const waiters = open();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(polls).toBe(0);
  const [one, two] = [
    must(waiters.open("one", 45, "owner of one")),
    must(waiters.open("two", 45, "owner of two")),
  ];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(polls).toBe(4);
  one.close();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(polls).toBe(8);
  two.close();
  expect(vi.getTimerCount()).toBe(0);
});

test("§11 a limited number of devices can wait, and none once the gateway stops", async () => {
  const waiters = open(1);
  const one = must(waiters.open("one", 45, "owner of one"));
  expect(waiters.open("two", 45, "owner of two")).toBeUndefined();
  const again = must(waiters.open("one", 45, "owner of one"));
  one.close();
  waiters.endAll();
  expect(await again.next()).toBe(false);
  again.close();
  expect(waiters.open("one", 45, "owner of one")).toBeUndefined();
});

test("§11 devices without an owner get a quarter of the places", () => {
  const waiters = open(8);
  const one = must(waiters.open("one", 45, null));
  must(waiters.open("two", 45, null));
  expect(waiters.open("three", 45, null)).toBeUndefined();
  must(waiters.open("four", 45, "owner of four"));
  one.close();
  must(waiters.open("three", 45, null)).close();
  waiters.endAll();
});

test("§11 one owner may have all places, and gives them up one by one to owners with fewer", async () => {
  const waiters = open(4);
  const devices = ["one", "two", "three", "four"];
  const ofAnn = devices.map((deviceId) => must(waiters.open(deviceId, 45, "ann")));
  expect(waiters.open("five", 45, "ann")).toBeUndefined();
  must(waiters.open("of ben", 45, "ben"));
  expect(await ofAnn[0]?.next()).toBe(false);
  must(waiters.open("of cleo", 45, "cleo"));
  expect(await ofAnn[1]?.next()).toBe(false);
  // With another request, they would no longer have fewer than the owner with the most.
  expect(waiters.open("of ben too", 45, "ben")).toBeUndefined();
  expect(waiters.open("one", 45, "ann")).toBeUndefined();
  expect(waiters.count()).toBe(4);
  waiters.endAll();
});
