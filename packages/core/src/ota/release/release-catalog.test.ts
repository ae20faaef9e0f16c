import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import {
  createFakeClock,
  type FakeClock,
  sampleRelease,
  sampleSecurityEvent,
} from "@device-gateway/testing";
import { beforeEach, expect, test } from "vitest";
import { type ChangePoller, createChangePoller } from "../../change/change-poller.js";
import { silentLogger } from "../../ports/logger.js";
import { createReleaseCatalog, type ReleaseCatalog } from "./release-catalog.js";

/** Creates the catalogues of two processes over one storage, and counts how often the first one reads its releases. */
const event = sampleSecurityEvent("", "release.created");
let clock: FakeClock;
let other: ReturnType<typeof createMemoryStore>;
let poller: ChangePoller;
let catalog: ReleaseCatalog;
let reads: number;
let feedIsDown: boolean;
let feedIsReset: boolean;

beforeEach(() => {
  const state = createMemoryState();
  const own = createMemoryStore(state);
  other = createMemoryStore(state);
  clock = createFakeClock();
  reads = 0;
  feedIsDown = false;
  feedIsReset = false;
  const changes = {
    since: (cursor: string | null) =>
      feedIsDown
        ? Promise.reject(new Error("down"))
        : own.changes.since(feedIsReset ? null : cursor),
  };
  poller = createChangePoller({ changes, clock, logger: silentLogger });
  const releases = {
    offerable: () => {
      reads += 1;
      return own.releases.offerable();
    },
  };
  catalog = createReleaseCatalog({ releases, poller });
});

const add = (version: string) =>
  other.releases.create({ release: sampleRelease({ version, status: "active" }), event });
const versions = async () => (await catalog.list()).map(({ version }) => version);

test("§6 the releases are read once, however often they are requested", async () => {
  await add("1.0.0");
  for (let i = 0; i < 1_000; i++) {
    expect(await versions()).toEqual(["1.0.0"]);
    clock.advance(1);
  }
  await Promise.all(Array.from({ length: 10 }, versions));
  expect(reads).toBe(1);
});

test("§6 a release that another process publishes or withdraws is seen within a second", async () => {
  const created = await add("1.0.0");
  let { revision } = created.release;
  for (const pace of [1, 249, 400, 749, 751, 5_000]) {
    for (const status of ["withdrawn", "active"] as const) {
      await versions();
      const { id } = created.release;
      const change = { id, expectedRevision: revision++, changes: { status }, event };
      await other.releases.change(change);
      const until = clock.now() + 1_000;
      while (clock.now() < until) {
        clock.advance(pace);
        await versions();
      }
      expect([pace, await versions()]).toEqual([pace, status === "active" ? ["1.0.0"] : []]);
    }
  }
});

test("§6 a process sees its own changes at once, even if their outcome is unknown", async () => {
  await versions();
  await catalog.change(() => add("1.0.0"));
  expect(await versions()).toEqual(["1.0.0"]);
  const lost = catalog.change(async () => {
    await add("1.0.1");
    throw new Error("the answer was lost");
  });
  await expect(lost).rejects.toThrow("lost");
  expect(await versions()).toEqual(["1.0.0", "1.0.1"]);
});

test("§6 while the change feed is down, the store is read each time", async () => {
  await versions();
  feedIsDown = true;
  clock.advance(751);
  await add("1.0.0");
  expect(await versions()).toEqual(["1.0.0"]);
  await add("1.0.1");
  expect(await versions()).toEqual(["1.0.0", "1.0.1"]);
});

test("after a reset of the change feed, the releases are read again", async () => {
  expect(await versions()).toEqual([]);
  await add("1.0.0");
  feedIsReset = true;
  clock.advance(751);
  expect(await versions()).toEqual(["1.0.0"]);
  expect(await versions()).toEqual(["1.0.0"]);
  expect(reads).toBe(2);
});

test("§6 a failed read is not cached", async () => {
  const releases = {
    offerable: async () => {
      reads += 1;
      if (reads === 1) throw new Error("down");
      return [];
    },
  };
  const failing = createReleaseCatalog({ releases, poller });
  await expect(failing.list()).rejects.toThrow("down");
  expect(await failing.list()).toEqual([]);
});
