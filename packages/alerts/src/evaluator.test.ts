import { silentLogger } from "@device-gateway/core";
import { type AlertRule, StoreUnavailableError } from "@device-gateway/core/store";
import { sampleSecurityEvent } from "@device-gateway/testing";
import { expect, test, vi } from "vitest";
import { type AlertWorld, minuteMs, openAlertWorld } from "./testing/alert-world.js";
import { noteTurns } from "./testing/note-turns.js";

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

test("§8 the first rule about a level judges the latest record and no earlier ones", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.addRule("silent", {});
  await world.alerts.runOnce();
  const sendAll = async (...values: readonly number[]) => {
    for (const soc of values) {
      await world.send("gw-1", { soc });
      await world.pass(minuteMs);
    }
  };
  await sendAll(10, 50);
  await world.addRule("low", low);
  await world.pass(minuteMs);
  expect(await world.events()).toEqual([]);
  await sendAll(50, 10);
  expect(await world.events()).toEqual(["firing gw-1"]);
  const event = sampleSecurityEvent("", "alert_rule.removed");
  await world.store.alerts.removeRule({ id: "low", limit: 9, event });
  await sendAll(50, 10, 50);
  await world.addRule("low again", low);
  await world.pass(minuteMs);
  expect(await world.events()).toEqual([]);
});

test("§8 all records of a request are judged together, also if others arrived before", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.addRule("low", low);
  await world.alerts.runOnce();
  const receivedAt = world.clock.now();
  const append = (values: readonly number[], firstAt: number) =>
    world.store.telemetry.append({
      ...{ deviceId: "gw-1", receivedAt, once: null },
      records: values.map((soc, n) => ({
        ...{ at: firstAt + n, seq: null, isTimed: true, value: { soc } },
      })),
    });
  const values = (count: number, soc: number) => Array.from({ length: count }, () => soc);
  await append([...values(120, 50), ...values(30, 10)], receivedAt - 1_000);
  await world.alerts.runOnce();
  expect(await world.events()).toEqual(["firing gw-1"]);
  // More than one judgement takes.
  await append(values(450, 10), receivedAt);
  await append([...values(49, 10), ...values(30, 50)], receivedAt + 450);
  for (let round = 0; round < 2; round++) await world.alerts.runOnce();
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
  // Bob sees neither alice's alert nor an alert about the record from her time.
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

test("§8 reminders go on until the alert is acknowledged, and a mute holds notifications back", async () => {
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
  // All devices but two send again. Each of these two then fires an alert of its own.
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

test("§8 while the alert of the fleet fires, no single device fires", async () => {
  const world = openAlertWorld();
  const ids = Array.from({ length: 60 }, (_, n) => `gw-${n}`);
  for (const id of ids) await world.register(id);
  await world.addRule("silent", {});
  await world.pass(10 * minuteMs);
  expect(await world.events()).toEqual(["firing Much of the fleet is silent"]);
  const passSending = async (some: readonly string[]) => {
    for (let n = 0; n < 5; n++) {
      for (const id of some) await world.send(id, { soc: 50 });
      await world.pass(minuteMs);
    }
  };
  // A quarter stays silent: less than the share that fires the alert, and more than the share that clears it.
  await passSending(ids.slice(15));
  expect(await world.events()).toEqual([]);
  await passSending(ids.slice(2));
  expect((await world.events()).sort()).toEqual([
    "cleared Much of the fleet is silent",
    "firing gw-0",
    "firing gw-1",
  ]);
});

test("the silent devices of one customer alone do not turn off the alerts of others", async () => {
  const world = openAlertWorld();
  const idsOf = (name: string, length: number) => Array.from({ length }, (_, n) => `${name}-${n}`);
  const ofAlice = idsOf("alice", 60);
  const ofMallory = idsOf("mallory", 40);
  for (const id of ofAlice) await world.register(id);
  for (const id of ofMallory) await world.register(id, "mallory");
  await world.addRule("silent", {});
  await world.addRule("all-silent", { ownerId: "mallory" });
  const passSending = async (some: readonly string[], minutes: number) => {
    for (let n = 0; n < minutes; n++) {
      for (const id of some) await world.send(id, { soc: 50 });
      await world.pass(minuteMs);
    }
  };
  await passSending(ofAlice, 6);
  // The devices of mallory are overdue, and one of alice falls silent a minute later.
  await passSending(ofAlice.slice(1), 9);
  const events = await world.events();
  expect(events).toContain("firing alice-0");
  expect(new Set(events)).toEqual(
    new Set(["alice-0", ...ofMallory].map((deviceId) => `firing ${deviceId}`)),
  );
});

test("when the devices of several customers fall silent, the alert of the fleet replaces theirs", async () => {
  const world = openAlertWorld();
  for (const owner of ["alice", "bob"]) {
    for (let n = 0; n < 20; n++) await world.register(`${owner}-${n}`, owner);
    await world.addRule(`silent-${owner}`, { ownerId: owner });
  }
  await world.pass(20 * minuteMs);
  expect(await world.events()).toEqual(["firing Much of the fleet is silent"]);
});

test("the alert of the fleet clears, and the operators are told, when the last rule is deleted", async () => {
  const world = openAlertWorld();
  for (let n = 0; n < 20; n++) await world.register(`gw-${n}`);
  await world.addRule("silent", {});
  await world.pass(10 * minuteMs);
  expect(await world.events()).toEqual(["firing Much of the fleet is silent"]);
  world.delivered();
  const event = sampleSecurityEvent("", "alert_rule.removed");
  await world.store.alerts.removeRule({ id: "silent", limit: 500, event });
  await world.pass(5 * minuteMs);
  expect(await world.events()).toEqual(["cleared Much of the fleet is silent"]);
  expect(world.delivered()).toEqual(["cleared "]);
  expect(world.messages.at(-1)).toMatchObject({ ownerId: null });
});

test("§8 a clock that was ahead and is set back ends neither rules about silence nor rules about levels", async () => {
  const world = openAlertWorld();
  const { clock } = world;
  await world.register("gw-1");
  await world.register("gw-2");
  await world.addRule("silent", {});
  await world.addRule("low", low);
  await world.send("gw-1", { soc: 50 });
  await world.send("gw-2", { soc: 50 });
  await world.pass(minuteMs);
  const dayMs = 24 * 60 * minuteMs;
  clock.advance(dayMs);
  for (const soc of [10, 50]) {
    await world.send("gw-2", { soc });
    await world.pass(minuteMs);
  }
  // Alerts that fired under the clock that was ahead do not use up the budget.
  expect(await world.events()).toEqual(["firing gw-2", "cleared gw-2"]);
  clock.advance(-dayMs);
  const other = openAlertWorld({ clock }, world.store);
  const passAtOther = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      clock.advance(minuteMs);
      await other.alerts.runOnce();
    }
  };
  await passAtOther(1);
  await world.send("gw-2", { soc: 10 });
  await passAtOther(1);
  expect(await world.events()).toEqual(["firing gw-2"]);
  await passAtOther(10);
  expect(await world.events()).toEqual(["firing gw-1"]);
  expect((await world.store.alerts.findWatch(""))?.content["beatAt"]).toBe(clock.now());
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

test("each of many due devices is judged in a turn of the event loop of its own", async () => {
  const world = openAlertWorld();
  const ids = Array.from({ length: 40 }, (_, n) => `gw-${n}`);
  for (const id of ids) await world.register(id);
  await world.addRule("low", low);
  const { judge } = world.store.alerts;
  const turns = await noteTurns(async (note) => {
    vi.spyOn(world.store.alerts, "judge").mockImplementation((input) => {
      if (input.watch.deviceId !== "") note();
      return judge(input);
    });
    await world.alerts.runOnce();
  });
  expect(new Set(turns).size).toBe(ids.length);
});

/** Makes judgements of some devices fail. */
function failFor({ store }: AlertWorld, isFailing: (deviceId: string) => boolean, error: Error) {
  const { judge } = store.alerts;
  vi.spyOn(store.alerts, "judge").mockImplementation(async (input) => {
    if (isFailing(input.watch.deviceId)) throw error;
    return judge(input);
  });
}

const beatOf = async ({ store }: AlertWorld) =>
  (await store.alerts.findWatch(""))?.content["beatAt"];

test.each([
  ["a fault of its own", new Error("The record cannot be read")],
  ["a time-out", new StoreUnavailableError("The database took too long to answer.")],
])(
  "a device that cannot be judged because of %s stops neither other devices nor the heartbeat",
  async (_, error) => {
    const warn = vi.fn();
    const world = openAlertWorld({ logger: { ...silentLogger, warn } });
    for (const id of ["gw-1", "gw-2"]) await world.register(id);
    await world.addRule("low", low);
    await world.alerts.runOnce();
    failFor(world, (deviceId) => deviceId === "gw-1", error);
    for (const id of ["gw-1", "gw-2"]) await world.send(id, { soc: 10 });
    await world.pass(minuteMs);
    expect(await world.events()).toEqual(["firing gw-2"]);
    expect(warn.mock.calls[0]?.[0]).toEqual({ err: error, deviceId: "gw-1" });
    // It is the only one that is due.
    await world.pass(minuteMs);
    expect(await beatOf(world)).toBe(world.clock.now());
    vi.restoreAllMocks();
    await world.pass(minuteMs);
    expect(await world.events()).toEqual(["firing gw-1"]);
  },
);

test("if the database of several devices is unavailable, others are judged, and no heartbeat is written", async () => {
  const warn = vi.fn();
  const world = openAlertWorld({ logger: { ...silentLogger, warn } });
  // As in another database: the devices after the first page.
  const ids = Array.from({ length: 202 }, (_, n) => `gw-${String(n).padStart(3, "0")}`);
  for (const id of ids) await world.register(id);
  await world.addRule("low", low);
  await world.alerts.runOnce();
  const beatAt = await beatOf(world);
  const error = new StoreUnavailableError("The database is down.");
  failFor(world, (deviceId) => deviceId !== "" && deviceId < "gw-200", error);
  for (const id of ["gw-000", "gw-001", "gw-200"]) await world.send(id, { soc: 10 });
  await expect(world.pass(minuteMs)).rejects.toThrow(error);
  expect(await world.events()).toEqual(["firing gw-200"]);
  expect(await beatOf(world)).toBe(beatAt);
  expect(warn).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  await world.pass(minuteMs);
  expect(await world.events()).toEqual(["firing gw-000", "firing gw-001"]);
  expect(await beatOf(world)).toBe(world.clock.now());
});
