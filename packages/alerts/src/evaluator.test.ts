import type { AlertRule } from "@device-gateway/core/store";
import { sampleSecurityEvent } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { minuteMs, openAlertWorld } from "./testing/alert-world.js";

const low = {
  condition: { kind: "below", metric: "soc", threshold: 20, clearAt: 25, holdSeconds: 0 },
} as const;

test("§8 a silent device fires after its intervals and the settling time, and clears when it sends", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.register("gw-2", "bob");
  await world.addRule("silent", { condition: { kind: "silent", intervals: 5 } });
  await world.send("gw-1", { soc: 50 });
  await world.pass(6 * minuteMs);
  expect(await world.events()).toEqual([]);
  await world.pass(2 * minuteMs);
  expect(await world.events()).toEqual(["firing gw-1"]);
  await world.pass(10 * minuteMs);
  expect(await world.events()).toEqual([]);
  await world.send("gw-1", { soc: 50 });
  await world.pass(minuteMs);
  expect(await world.events()).toEqual(["cleared gw-1"]);
  expect(world.delivered()).toEqual(["firing gw-1", "cleared gw-1"]);
  await world.pass(8 * minuteMs);
  expect(await world.events()).toEqual(["firing gw-1"]);
});

test("§8 records are judged in order of measurement, and an older one than the latest judged changes nothing", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.addRule("low", low);
  await world.alerts.runOnce();
  await world.pass(minuteMs);
  // Together, the newest first: 30 was measured last.
  await world.send("gw-1", { soc: 30 }, 1_000);
  await world.send("gw-1", { soc: 10 }, 2_000);
  await world.pass(minuteMs);
  expect(await world.events()).toEqual(["firing gw-1", "cleared gw-1"]);
  await world.send("gw-1", { soc: 10 }, 5 * minuteMs);
  await world.pass(minuteMs);
  expect(await world.events()).toEqual([]);
  await world.send("gw-1", { voltage: 3 });
  await world.send("gw-1", { soc: 19 });
  await world.pass(minuteMs);
  expect(await world.events()).toEqual(["firing gw-1"]);
  await world.pass(30 * minuteMs);
  expect(await world.events()).toEqual([]);
  const [alert] = await world.store.alerts.firing(["gw-1"]);
  expect(alert?.details).toMatchObject({ name: "low", metric: "soc", threshold: 20, value: 19 });
});

test("§8 a new rule judges the device's latest record, a changed one too", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.send("gw-1", { soc: 15 });
  await world.pass(minuteMs);
  await world.addRule("low", low);
  await world.pass(minuteMs);
  expect(await world.events()).toEqual(["firing gw-1"]);
  await world.send("gw-1", { soc: 22 });
  await world.pass(minuteMs);
  expect(await world.events()).toEqual([]);
  const rule = (await world.store.alerts.findRule("low")) as AlertRule;
  await world.store.alerts.replaceRule({
    rule: { ...rule, revision: 2, condition: { ...low.condition, clearAt: 20 } },
    expectedRevision: 1,
    event: sampleSecurityEvent("", "alert_rule.changed"),
  });
  await world.pass(10 * minuteMs);
  expect(await world.events()).toEqual(["cleared gw-1"]);
});

test("§8 an owner's rule judges only the owner's time, and ends with the release", async () => {
  const world = openAlertWorld();
  const { store, clock } = world;
  await world.register("gw-1");
  await world.addRule("low", low);
  await world.addRule("fleet", { ...low, ownerId: null });
  await world.alerts.runOnce();
  await world.send("gw-1", { soc: 10 });
  await world.pass(minuteMs);
  expect(await world.events()).toEqual(["firing gw-1", "firing gw-1"]);
  world.delivered();
  const event = sampleSecurityEvent("gw-1", "device.released");
  await store.claims.release({ deviceId: "gw-1", ownerId: "alice", spendCode: false, event });
  clock.advance(minuteMs);
  await store.claims.assign({ deviceId: "gw-1", ownerId: "bob", now: clock.now(), event });
  await world.addRule("bobs", { ...low, ownerId: "bob" });
  await world.pass(minuteMs);
  // Neither alice's alert nor the record of her time is bob's.
  expect(
    await store.alerts.list({
      ownerId: "bob",
      deviceId: null,
      firing: false,
      before: null,
      limit: 9,
    }),
  ).toEqual([]);
  expect((await store.alerts.firing(["gw-1"])).map(({ ruleId }) => ruleId)).toEqual(["fleet"]);
  await world.send("gw-1", { soc: 9 });
  await world.pass(minuteMs);
  expect(world.messages.at(-1)).toMatchObject({ ownerId: "bob" });
});

test("§8 reminders go on until the alert is acknowledged, and a mute keeps notifications back", async () => {
  const world = openAlertWorld();
  const { store, clock } = world;
  await world.register("gw-1");
  await world.addRule("low", { ...low, reminderSeconds: 600 });
  await world.alerts.runOnce();
  await world.send("gw-1", { soc: 10 });
  await world.pass(25 * minuteMs);
  expect(world.delivered()).toEqual(["firing gw-1", "reminder gw-1", "reminder gw-1"]);
  const id = (await store.alerts.firing(["gw-1"]))[0]?.id ?? "";
  await store.alerts.mute({ id, until: clock.now() + 30 * minuteMs });
  await world.pass(29 * minuteMs);
  expect(world.delivered()).toEqual([]);
  await world.pass(15 * minuteMs);
  expect(world.delivered()).toContain("reminder gw-1");
  await store.alerts.acknowledge({ id, by: "alice", at: clock.now() });
  await world.pass(60 * minuteMs);
  expect(world.delivered()).toEqual([]);
  await store.alerts.mute({ id, until: clock.now() + 30 * minuteMs });
  for (const soc of [30, 10]) {
    await world.send("gw-1", { soc });
    await world.pass(minuteMs);
  }
  expect(await world.events()).toEqual(["firing gw-1", "cleared gw-1", "firing gw-1"]);
  expect(world.delivered()).toEqual([]);
});

test("§8 an outage of the service does not count as silence", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.addRule("silent", {});
  await world.send("gw-1", { soc: 50 });
  await world.pass(3 * minuteMs);
  world.clock.advance(3 * 3_600_000);
  await world.alerts.runOnce();
  await world.pass(6 * minuteMs);
  expect(await world.events()).toEqual([]);
  await world.pass(2 * minuteMs);
  expect(await world.events()).toEqual(["firing gw-1"]);
});

test("§8 if much of the fleet falls silent together, one alert of the operators replaces all others", async () => {
  const world = openAlertWorld();
  const ids = Array.from({ length: 30 }, (_, n) => `gw-${n}`);
  for (const id of ids) await world.register(id);
  await world.addRule("silent", {});
  const sendAll = async (some: readonly string[]) => {
    for (const id of some) await world.send(id, { soc: 50 });
  };
  for (let n = 0; n < 5; n++) {
    await sendAll(ids);
    await world.pass(minuteMs);
  }
  await world.pass(20 * minuteMs);
  expect(await world.events()).toEqual(["firing Much of the fleet is silent"]);
  expect(world.messages.map(({ ownerId }) => ownerId)).toEqual([null]);
  // All but two return. Those fire on their own.
  for (let n = 0; n < 5; n++) {
    await sendAll(ids.slice(2));
    await world.pass(minuteMs);
  }
  const events = await world.events();
  expect(events.sort()).toEqual([
    "cleared Much of the fleet is silent",
    "firing gw-0",
    "firing gw-1",
  ]);
});

test("§8 two processes judge each record once", async () => {
  const world = openAlertWorld();
  const other = openAlertWorld({ clock: world.clock }, world.store);
  await world.register("gw-1");
  await world.addRule("low", low);
  await world.alerts.runOnce();
  for (const soc of [10, 30, 10, 30]) {
    await world.send("gw-1", { soc });
    world.clock.advance(minuteMs);
    await Promise.all([world.alerts.runOnce(), other.alerts.runOnce()]);
  }
  expect(await world.events()).toEqual(
    ["firing", "cleared", "firing", "cleared"].map((kind) => `${kind} gw-1`),
  );
  expect([...world.delivered(), ...other.delivered()]).toHaveLength(4);
});
