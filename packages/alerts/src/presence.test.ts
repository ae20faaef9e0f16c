import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { createAlerts } from "./start-alerts.js";
import { type AlertWorld, minuteMs, openAlertWorld } from "./testing/alert-world.js";

/** Returns what the log says about presence, as `online gw-1`. */
async function presenceIn(store: GatewayStore): Promise<string[]> {
  const kinds = ["device.online", "device.offline"] as const;
  const events = await store.securityEvents.list({ after: 0, limit: 10_000, kinds });
  return events.map(({ kind, deviceId }) => `${kind.slice("device.".length)} ${deviceId}`);
}

/** Lets minutes pass in which devices send any request. */
async function passSeen({ store, clock, pass }: AlertWorld, minutes: number, ids: string[]) {
  for (let minute = 0; minute < minutes; minute++) {
    for (const deviceId of ids) await store.devices.recordSeen({ deviceId, now: clock.now() });
    await pass(minuteMs);
  }
}

test("§8 a device that sends any request is online, and offline after five minutes and the time to settle, once each", async () => {
  const world = openAlertWorld({ presence: true });
  const { register, store, pass } = world;
  await register("gw-1");
  await register("gw-2", null);
  await register("never", null);
  await pass(minuteMs);
  expect(await presenceIn(store)).toEqual([]);
  await passSeen(world, 30, ["gw-1", "gw-2"]);
  expect(await presenceIn(store)).toEqual(["online gw-1", "online gw-2"]);
  await passSeen(world, 5, ["gw-2"]);
  expect(await presenceIn(store)).toHaveLength(2);
  await passSeen(world, 30, ["gw-2"]);
  expect((await presenceIn(store)).slice(2)).toEqual(["offline gw-1"]);
  await passSeen(world, 20, ["gw-1", "gw-2"]);
  expect((await presenceIn(store)).slice(3)).toEqual(["online gw-1"]);
});

test("§8 telemetry keeps a device online, beside rules that judge it", async () => {
  const { register, addRule, send, store, pass, events } = openAlertWorld({ presence: true });
  await register("gw-1");
  await addRule("low", {
    condition: { kind: "below", metric: "soc", threshold: 20, clearAt: 25, holdSeconds: 0 },
  });
  for (let minute = 0; minute < 20; minute++) {
    await send("gw-1", { soc: minute === 10 ? 10 : 50 });
    await pass(minuteMs);
  }
  expect(await events()).toEqual(["firing gw-1", "cleared gw-1"]);
  expect(await presenceIn(store)).toEqual(["online gw-1"]);
  await pass(10 * minuteMs);
  expect(await presenceIn(store)).toEqual(["online gw-1", "offline gw-1"]);
});

test("§8 an outage of the service takes no device offline, and those that stay away go offline afterwards", async () => {
  const world = openAlertWorld({ presence: true });
  const { register, store, clock, pass } = world;
  for (const id of ["gw-1", "gw-2"]) await register(id);
  await passSeen(world, 3, ["gw-1", "gw-2"]);
  clock.advance(60 * minuteMs);
  await world.alerts.runOnce();
  await passSeen(world, 4, ["gw-1"]);
  expect(await presenceIn(store)).toEqual(["online gw-1", "online gw-2"]);
  await passSeen(world, 8, ["gw-1"]);
  expect((await presenceIn(store)).slice(2)).toEqual(["offline gw-2"]);
  await pass(minuteMs);
});

test("§8 an outage in which only the devices cannot be read takes none of them offline", async () => {
  const real = createMemoryStore();
  let isDown = false;
  // As if one of several databases were down: the event log and the heartbeat are in another one.
  const store: GatewayStore = {
    ...real,
    alerts: {
      ...real.alerts,
      async due(input) {
        if (isDown) throw new StoreUnavailableError("The database is down.");
        return real.alerts.due(input);
      },
    },
  };
  const world = openAlertWorld({ presence: true }, store);
  const { clock } = world;
  for (const id of ["gw-1", "gw-2"]) await world.register(id);
  await passSeen(world, 3, ["gw-1", "gw-2"]);
  isDown = true;
  for (let minute = 0; minute < 30; minute++) {
    world.clock.advance(minuteMs);
    // In some of the rounds, the process has just started.
    const { alerts } = minute % 2 ? world : openAlertWorld({ presence: true, clock }, store);
    await expect(alerts.runOnce()).rejects.toThrow(StoreUnavailableError);
  }
  isDown = false;
  await world.alerts.runOnce();
  await passSeen(world, 4, ["gw-1"]);
  expect(await presenceIn(store)).toEqual(["online gw-1", "online gw-2"]);
  await passSeen(world, 8, ["gw-1"]);
  expect((await presenceIn(store)).slice(2)).toEqual(["offline gw-2"]);
});

test("§8 two evaluators, one of which is killed at any step, write each transition once", async () => {
  const real = createMemoryStore();
  let calls = 0;
  let dieAt = Number.POSITIVE_INFINITY;
  const dying: GatewayStore = {
    ...real,
    alerts: {
      ...real.alerts,
      async judge(input) {
        if (++calls >= dieAt) throw new Error("killed before the write");
        const outcome = await real.alerts.judge(input);
        if (++calls >= dieAt) throw new Error("killed after the write");
        return outcome;
      },
    },
  };
  const world = openAlertWorld({ presence: true }, real);
  const { register, store, clock } = world;
  for (const id of ["gw-1", "gw-2", "gw-3"]) await register(id);
  for (let step = 1; step <= 12; step++) {
    // Each step is a transition of all devices.
    const isOnline = step % 2 === 1;
    for (const deviceId of ["gw-1", "gw-2", "gw-3"]) {
      if (isOnline) await store.devices.recordSeen({ deviceId, now: clock.now() });
    }
    dieAt = calls + step;
    const other = createAlerts({
      ...{ store: dying, clock, presence: true, gateway: { telemetryInterval: () => 60 } },
    });
    if (!isOnline) await world.pass(6 * minuteMs);
    clock.advance(minuteMs + 1);
    await other.runOnce().catch(() => {});
    await world.alerts.runOnce();
    clock.advance(31_000);
    await Promise.all([world.alerts.runOnce(), other.runOnce().catch(() => {})]);
  }
  const written = await presenceIn(store);
  for (const id of ["gw-1", "gw-2", "gw-3"]) {
    const own = written.filter((text) => text.endsWith(id));
    expect(own, id).toEqual(
      Array.from({ length: 12 }, (_, n) => `${n % 2 ? "offline" : "online"} ${id}`),
    );
  }
});

test("§8 a fleet whose presence is judged for the first time causes no events, and no writes while devices stay online", async () => {
  const world = openAlertWorld({ presence: true });
  const { register, store, clock } = world;
  await register("gw-1");
  clock.advance(600 * minuteMs);
  await passSeen(world, 10, ["gw-1"]);
  const before = (await store.alerts.findWatch("gw-1"))?.revision ?? 0;
  await passSeen(world, 21, ["gw-1"]);
  expect(await presenceIn(store)).toEqual([]);
  const writes = ((await store.alerts.findWatch("gw-1"))?.revision ?? 0) - before;
  expect(writes).toBeLessThanOrEqual(4);
});
