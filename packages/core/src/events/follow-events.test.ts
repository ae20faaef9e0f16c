import { createMemoryStore } from "@device-gateway/store-memory";
import { sampleDevice, sampleEvent } from "@device-gateway/testing";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import type { SecurityEventKind } from "../audit/security-event.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { createFollowEvents, type FollowedEvent, type FollowOptions } from "./follow-events.js";

function start() {
  const store = createMemoryStore();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const write = (deviceId: string, kind: SecurityEventKind = "device.registered", at = 5_000) =>
    store.devices.register({
      device: sampleDevice(deviceId),
      event: { ...sampleEvent(deviceId), kind, at },
    });
  const follow = (options: FollowOptions = {}, securityEvents = store.securityEvents) =>
    createFollowEvents({ securityEvents, changes: store.changes })({
      pollMs: 10,
      signal: stopping.signal,
      ...options,
    });
  return { store, write, follow, stopping };
}

const nameOf = (item: FollowedEvent) => (item.kind === "gap" ? "gap" : item.event.deviceId);

/** Returns the next items, and the last one's cursor. */
async function take(from: AsyncIterator<FollowedEvent>, count: number) {
  const items: FollowedEvent[] = [];
  while (items.length < count) {
    const { value, done } = await from.next();
    if (done === true) break;
    items.push(value);
  }
  return { names: items.map(nameOf), cursor: items.at(-1)?.cursor ?? "" };
}

const iterate = (items: AsyncIterable<FollowedEvent>) => items[Symbol.asyncIterator]();

test("a follower continues after its cursor, and waits for what happens next", async () => {
  const { write, follow } = start();
  for (const id of ["a", "b", "c"]) await write(id);
  const { names, cursor } = await take(iterate(follow({ after: null })), 2);
  expect(names).toEqual(["a", "b"]);
  const rest = take(iterate(follow({ after: cursor })), 2);
  await write("d");
  expect((await rest).names).toEqual(["c", "d"]);
});

test("a follower without a cursor gets only what happens from now on, of the kinds that it asks for", async () => {
  const { write, follow, store } = start();
  await write("before");
  let asked = () => {};
  const hasAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const events = {
    ...store.securityEvents,
    list: (page: Parameters<typeof store.securityEvents.list>[0]) => {
      asked();
      return store.securityEvents.list(page);
    },
  };
  const next = take(iterate(follow({ kinds: ["device.claimed"] }, events)), 1);
  await hasAsked;
  await write("other");
  await write("wanted", "device.claimed");
  expect((await next).names).toEqual(["wanted"]);
});

test("a follower behind the retention gets a gap once, and then the events that are left", async () => {
  const { store, write, follow } = start();
  await write("a");
  const { cursor } = await take(iterate(follow({ after: null })), 1);
  await write("deleted", "update.moved", 1_000);
  await write("b");
  await store.securityEvents.prune({ kind: "update.moved", before: 2_000, limit: 9 });
  expect((await take(iterate(follow({ after: cursor })), 2)).names).toEqual(["gap", "b"]);
  expect((await take(iterate(follow({ after: null })), 2)).names).toEqual(["a", "b"]);
});

test("a follower waits while the store is unavailable, and ends when its signal aborts", async () => {
  const { store, write, follow, stopping } = start();
  let failures = 3;
  const events = {
    ...store.securityEvents,
    list: async (page: Parameters<typeof store.securityEvents.list>[0]) => {
      if (failures-- > 0) throw new StoreUnavailableError("planted");
      return store.securityEvents.list(page);
    },
  };
  await write("a");
  const items = iterate(follow({ after: null }, events));
  expect((await take(items, 1)).names).toEqual(["a"]);
  const end = items.next();
  stopping.abort();
  expect((await end).done).toBe(true);
});

test("a text that is not a cursor is refused", async () => {
  const { follow } = start();
  await expect(iterate(follow({ after: "x" })).next()).rejects.toThrow(/not a cursor/);
});

test("maintenance deletes old moves of updates and keeps the audit trail", async () => {
  const cloud = await createTestCloud();
  onTestFinished(() => cloud.close());
  const plan = { version: "1.1.0", targetHardware: "esp32:devkit-v1", image: new Uint8Array(64) };
  await cloud.addRelease(plan);
  const { token } = await cloud.addDevice();
  await cloud.fetch(`${cloud.baseUrl}/api/v1/ota/latest`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const moves = () =>
    cloud.store.securityEvents.list({ after: 0, limit: 9, kinds: ["update.moved"] });
  expect(await moves()).toHaveLength(1);
  const trail = await cloud.auditTrail();
  cloud.clock.advance(30 * 86_400_000);
  await cloud.gateway.maintain();
  expect(await moves()).toHaveLength(1);
  cloud.clock.advance(60_000);
  await cloud.gateway.maintain();
  expect(await moves()).toEqual([]);
  expect(await cloud.auditTrail()).toEqual(expect.arrayContaining([...trail]));
});

/** Two histories of one database: the second one lacks the events after some, as a standby that was behind. */
async function startHistories() {
  const [full, behind] = [start(), start()];
  for (const id of ["a", "b", "c", "d"]) await full.write(id);
  for (const id of ["a", "b"]) await behind.write(id);
  let current = full.store;
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const follow = createFollowEvents({
    securityEvents: {
      list: (input) => current.securityEvents.list(input),
      newest: (input) => current.securityEvents.newest(input),
      prunedUpTo: () => current.securityEvents.prunedUpTo(),
    },
    changes: { since: (cursor) => current.changes.since(cursor) },
  });
  return {
    follow: (after: string | null) =>
      iterate(follow({ after, pollMs: 10, signal: stopping.signal })),
    failOver: () => {
      current = behind.store;
    },
    writeAfter: behind.write,
  };
}

test("after a failover that lost events, a follower gets a gap and then all that happens", async () => {
  const { follow, failOver, writeAfter } = await startHistories();
  const items = follow(null);
  expect((await take(items, 4)).names).toEqual(["a", "b", "c", "d"]);
  failOver();
  expect((await take(items, 1)).names).toEqual(["gap"]);
  for (const id of ["e", "f"]) await writeAfter(id);
  expect((await take(items, 2)).names).toEqual(["e", "f"]);
});

test("a cursor of events that a failover lost continues with a gap, and skips no new event", async () => {
  const { follow, failOver, writeAfter } = await startHistories();
  const { cursor } = await take(follow(null), 4);
  failOver();
  const items = follow(cursor);
  expect((await take(items, 1)).names).toEqual(["gap"]);
  for (const id of ["e", "f"]) await writeAfter(id);
  expect((await take(items, 2)).names).toEqual(["e", "f"]);
});
