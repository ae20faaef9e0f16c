import { setImmediate as nextTurn } from "node:timers/promises";
import { createFakeClock, type FakeClock, sampleDevice } from "@device-gateway/testing";
import { beforeEach, expect, test } from "vitest";
import type { ChangesOutcome } from "../change/change-feed.js";
import { createChangePoller } from "../change/change-poller.js";
import { silentLogger } from "../ports/logger.js";
import type { Device } from "./device.js";
import { createDeviceCache, type DeviceCache } from "./device-cache.js";

/** What the store contains, what the feed reports next, and how often each was called. */
let stored: Map<string, Device>;
let changed: string[];
let feedIsDown: boolean;
let feedIsReset: boolean;
let unread: string[];
let calls: { store: number; feed: number };
let gate: Promise<void> | undefined;
let feedGate: Promise<void> | undefined;
let clock: FakeClock;
let cache: DeviceCache;

beforeEach(() => {
  stored = new Map([["a", sampleDevice("a")]]);
  changed = [];
  feedIsDown = false;
  feedIsReset = false;
  unread = [];
  calls = { store: 0, feed: 0 };
  gate = undefined;
  feedGate = undefined;
  clock = createFakeClock();
  const changes = {
    async since(cursor: string | null): Promise<ChangesOutcome> {
      calls.feed++;
      if (feedIsDown) throw new Error("down");
      if (cursor === null || feedIsReset) return { kind: "reset", cursor: "0" };
      const deviceIds = changed.splice(0);
      await feedGate;
      const isUnread = (deviceId: string) => unread.includes(deviceId);
      return { kind: "changes", cursor: "1", deviceIds, releasesChanged: false, isUnread };
    },
  };
  cache = createDeviceCache({
    poller: createChangePoller({ changes, clock, logger: silentLogger }),
    devices: {
      async find(deviceId) {
        calls.store++;
        const found = stored.get(deviceId) ?? null;
        await gate;
        return found;
      },
    },
  });
});

const change = (name: string) => stored.set("a", { ...sampleDevice("a"), name });
const nameOf = async () => (await cache.find("a"))?.name;

/** Holds the reads that begin from now on. Returns a function that lets them and all later ones end. */
function holdReads(): () => void {
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  return () => {
    gate = undefined;
    open();
  };
}

test("a cached device costs no round trip, and the feed is polled four times a second", async () => {
  for (let i = 0; i < 1_000; i++) {
    expect(await cache.find("a")).not.toBeNull();
    clock.advance(1);
  }
  expect(calls.store).toBe(1);
  expect(calls.feed).toBe(4);
});

test("§2 a change by another process is seen within a second, at any rate of requests", async () => {
  for (const pace of [1, 100, 249, 250, 400, 749, 751, 5_000]) {
    await cache.find("a");
    const name = `changed-${pace}`;
    change(name);
    changed.push("a");
    const until = clock.now() + 1_000;
    while (clock.now() < until) {
      clock.advance(pace);
      await cache.find("a");
    }
    expect([pace, await nameOf()]).toEqual([pace, name]);
  }
});

test("§2 while the feed has failed for more than 750 ms, every lookup reads the store", async () => {
  await cache.find("a");
  feedIsDown = true;
  change("meanwhile");
  clock.advance(751);
  const before = calls.store;
  expect(await nameOf()).toBe("meanwhile");
  change("again");
  expect(await nameOf()).toBe("again");
  expect(calls.store - before).toBe(2);
});

test("§2 while the changes of a device cannot be read, its lookups read the store, and other devices stay cached", async () => {
  stored.set("b", sampleDevice("b"));
  await cache.find("a");
  await cache.find("b");
  unread = ["a"];
  clock.advance(751);
  await cache.find("b");
  const before = calls.store;
  change("meanwhile");
  expect(await nameOf()).toBe("meanwhile");
  change("again");
  expect(await nameOf()).toBe("again");
  await cache.find("b");
  expect(calls.store - before).toBe(2);
  unread = [];
  changed.push("a");
  clock.advance(751);
  expect(await nameOf()).toBe("again");
  expect(await nameOf()).toBe("again");
  expect(calls.store - before, "the device is cached again").toBe(3);
});

test("§2 a late response of a slow feed does not count for a request that came long after the poll began", async () => {
  await cache.find("a");
  clock.advance(751);
  let respond = () => {};
  feedGate = new Promise((resolve) => {
    respond = resolve;
  });
  const early = cache.find("a");
  clock.advance(50);
  change("meanwhile");
  changed.push("a");
  clock.advance(1_500);
  const late = cache.find("a");
  feedGate = undefined;
  respond();
  await early;
  expect((await late)?.name).toBe("meanwhile");
});

test("a change by this process is seen at once", async () => {
  await cache.find("a");
  await cache.change("a", async () => change("mine"));
  expect(await nameOf()).toBe("mine");
});

test("a read that began before a change does not restore the former state", async () => {
  await cache.find("b");
  const open = holdReads();
  const early = cache.find("a");
  await cache.change("a", async () => change("mine"));
  open();
  await early;
  expect(await nameOf()).toBe("mine");
});

test("lookups of one device at the same time share a read", async () => {
  const found = await Promise.all(Array.from({ length: 64 }, async () => await cache.find("a")));
  expect(found.map((device) => device?.deviceId)).toEqual(Array(64).fill("a"));
  expect(calls.store).toBe(1);
});

test("a lookup after a change does not share a read that began before it", async () => {
  await cache.find("b");
  const open = holdReads();
  const early = cache.find("a");
  await cache.change("a", async () => change("mine"));
  const late = cache.find("a");
  open();
  await early;
  expect((await late)?.name).toBe("mine");
});

test("lookups that wait for a read fail with it, and the next one reads again", async () => {
  await cache.find("b");
  gate = Promise.reject(new Error("down"));
  const lookups = await Promise.allSettled([cache.find("a"), cache.find("a")]);
  expect(lookups.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  gate = undefined;
  expect(await cache.find("a")).not.toBeNull();
});

test("a change whose outcome is unknown is treated as one that happened", async () => {
  await cache.find("a");
  const failed = cache.change("a", async () => {
    change("committed");
    throw new Error("the response was lost");
  });
  await expect(failed).rejects.toThrow("lost");
  expect(await nameOf()).toBe("committed");
});

test("a reset of the feed clears the cache, and listeners hear that any device may have changed", async () => {
  const heard: (readonly string[] | "all")[] = [];
  await cache.find("a");
  cache.subscribe((deviceIds) => heard.push(deviceIds));
  change("moved");
  feedIsReset = true;
  clock.advance(751);
  expect(await nameOf()).toBe("moved");
  expect(heard).toEqual(["all"]);
});

test("a read that began before a reset of the feed is neither shared nor cached", async () => {
  await cache.find("b");
  const open = holdReads();
  const early = cache.find("a");
  await nextTurn();
  change("moved");
  feedIsReset = true;
  clock.advance(751);
  const late = cache.find("a");
  await nextTurn();
  open();
  await early;
  expect((await late)?.name).toBe("moved");
  expect(await nameOf()).toBe("moved");
});

test("after the clock was set back, the feed is polled before the cache is used", async () => {
  await cache.find("a");
  change("moved");
  changed.push("a");
  clock.advance(-3_600_000);
  expect(await nameOf()).toBe("moved");
});

test("unknown devices are not cached", async () => {
  expect(await cache.find("b")).toBeNull();
  stored.set("b", sampleDevice("b"));
  expect(await cache.find("b")).not.toBeNull();
});

test("transitions of one device run one after another, those of others at the same time", async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const transition = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      ends.push(() => resolve(name));
    });
  const first = cache.change("a", transition("first"));
  const second = cache.change("a", transition("second"));
  const other = cache.change("b", transition("other"));
  expect(begun).toEqual(["first", "other"]);
  for (const end of ends.splice(0)) end();
  expect(await Promise.all([first, other])).toEqual(["first", "other"]);
  await Promise.resolve();
  expect(begun).toEqual(["first", "other", "second"]);
  for (const end of ends) end();
  expect(await second).toBe("second");
});
