import { realpathSync, rmSync, symlinkSync } from "node:fs";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createDeviceStore } from "../device/device-store.js";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createTelemetryStore } from "../telemetry/telemetry-store.js";
import { createTemporaryFile } from "../testing/temporary-file.js";
import { openConnection } from "./connection.js";
import { createWalSync } from "./wal-sync.js";

let temporary: ReturnType<typeof createTemporaryFile>;
beforeEach(() => {
  temporary = createTemporaryFile();
});
afterEach(() => temporary.remove());

const registration = { device: sampleDevice("gw-1"), event: sampleEvent("gw-1") };

/** Takes the write lock as another process does. */
function lockForWriting(): { release(): void } {
  const other = new Database(temporary.file);
  other.exec("BEGIN IMMEDIATE");
  return { release: () => other.close() };
}

/** Counts how often a 10 ms timer fires, to show that the event loop is free. */
function countTicks(): { stop(): number } {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  return {
    stop: () => {
      clearInterval(timer);
      return ticks;
    },
  };
}

it("uses a write-ahead log and syncs it itself after every commit", async () => {
  const { database, close } = await openConnection(temporary.file);
  expect(database.pragma("journal_mode", { simple: true })).toBe("wal");
  expect(database.pragma("synchronous", { simple: true })).toBe(1);
  expect(database.pragma("foreign_keys", { simple: true })).toBe(1);
  expect(database.pragma("busy_timeout", { simple: true })).toBe(0);
  await close();
});

it("lets SQLite sync if there is no write-ahead log", async () => {
  const { database, close } = await openConnection(":memory:");
  expect(database.pragma("synchronous", { simple: true })).toBe(2);
  await close();
});

it("returns no outcome before the commits that it depends on are on disk", async () => {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const log = createWalSync({ sync: () => held, close: async () => {} });
  const connection = await openConnection(temporary.file, undefined, () => log);
  const devices = createDeviceStore(connection, async () => {});
  const given: string[] = [];
  const calls = [
    devices.register(registration).then(({ kind }) => given.push(kind)),
    devices.find("gw-1").then((device) => given.push(device?.deviceId ?? "nobody")),
  ];
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(given).toEqual([]);
  letGo();
  await Promise.all(calls);
  expect(given.toSorted()).toEqual(["gw-1", "registered"]);
  await connection.close();
});

it("stops waiting for a lock after about a second, without blocking the event loop", async () => {
  const store = await openSqliteStore(temporary);
  const lock = lockForWriting();
  const ticks = countTicks();
  const started = performance.now();
  let isLate = false;
  // It runs on the event loop of the calls' own timers, so that a busy machine delays both.
  const timer = setTimeout(() => {
    isLate = true;
  }, 2_000);
  const calls = Array.from({ length: 200 }, () => store.devices.register(registration));
  const outcomes = await Promise.allSettled(calls);
  clearTimeout(timer);
  // A blocked event loop has one tick.
  expect(ticks.stop()).toBeGreaterThan(5);
  expect(performance.now() - started).toBeGreaterThan(900);
  expect(isLate, "a call took more than two seconds").toBe(false);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ reason: expect.any(StoreUnavailableError) });
  }
  expect(await store.devices.find("gw-1"), "readers go on").toBeNull();
  lock.release();
  expect(await store.devices.register(registration)).toEqual({ kind: "registered" });
  await store.close();
});

it("rejects a ping while nothing can be written", async () => {
  const store = await openSqliteStore(temporary);
  await store.ping();
  const lock = lockForWriting();
  await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailableError);
  lock.release();
  await store.ping();
  await store.close();
});

it("continues in call order when the lock is released", async () => {
  const store = await openSqliteStore(temporary);
  const lock = lockForWriting();
  const calls = Array.from({ length: 20 }, () => store.devices.register(registration));
  setTimeout(() => lock.release(), 30);
  const [first, ...others] = await Promise.all(calls);
  expect(first).toEqual({ kind: "registered" });
  expect(others).toEqual(Array(19).fill({ kind: "exists" }));
  await store.close();
});

it("waits for a lock when it closes and when it first opens a file", async () => {
  new Database(temporary.file).close();
  const firstLock = lockForWriting();
  setTimeout(() => firstLock.release(), 30);
  const store = await openSqliteStore(temporary);
  const secondLock = lockForWriting();
  setTimeout(() => secondLock.release(), 30);
  const registering = store.devices.register(registration);
  await store.close();
  expect(await registering).toEqual({ kind: "registered" });
});

it("rejects as unavailable when the disk is full, stores nothing of the call, and recovers", async () => {
  const connection = await openConnection(temporary.file);
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  await createDeviceStore(connection, async () => {}).register(registration);
  const records = [sampleRecord(), sampleRecord({ seq: 1, value: { x: "x".repeat(1_000_000) } })];
  const input = { deviceId: "gw-1", receivedAt: sampleTime, records, once: null };
  const pages = connection.database.pragma("page_count", { simple: true }) as number;
  connection.database.pragma(`max_page_count = ${pages + 4}`);
  await expect(telemetry.append(input)).rejects.toBeInstanceOf(StoreUnavailableError);
  expect(await telemetry.read({ deviceId: "gw-1", after: 0, limit: 10 })).toEqual([]);
  connection.database.pragma("max_page_count = 1000000");
  expect(await telemetry.append(input)).toMatchObject({ verdicts: ["stored", "stored"] });
  await connection.close();
});

it("syncs the log of the real file when it is opened through a link", async () => {
  await (await openConnection(temporary.file)).close();
  const link = `${temporary.file}-link`;
  symlinkSync(temporary.file, link);
  const synced: string[] = [];
  const connection = await openConnection(link, undefined, (file) => {
    synced.push(file);
    return createWalSync({ sync: async () => {}, close: async () => {} });
  });
  await connection.close();
  rmSync(link);
  expect(synced).toEqual([realpathSync(temporary.file)]);
});

it("writes nothing after the disk has failed", async () => {
  const sync = () => Promise.reject(new Error("EIO"));
  const log = createWalSync({ sync, close: async () => {} });
  const connection = await openConnection(temporary.file, undefined, () => log);
  const { database } = connection;
  const block = database.prepare("INSERT INTO blocked_ids VALUES (?)");
  await expect(connection.write(() => block.run("a"))).rejects.toThrow("restart");
  await expect(connection.write(() => block.run("b"))).rejects.toThrow("restart");
  expect(database.prepare("SELECT device_id FROM blocked_ids").pluck().all()).toEqual(["a"]);
  await connection.close();
});
