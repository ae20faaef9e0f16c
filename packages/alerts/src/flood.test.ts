import type { AlertRule, JsonObject } from "@device-gateway/core/store";
import { sampleDevice, sampleSecurityEvent } from "@device-gateway/testing";
import { expect, test, vi } from "vitest";
import { minuteMs, openAlertWorld } from "./testing/alert-world.js";

const low = {
  condition: { kind: "below", metric: "soc", threshold: 20, clearAt: 20, holdSeconds: 0 },
} as const;

const count = (events: readonly string[], kind: string) =>
  events.filter((event) => event.startsWith(kind)).length;

async function openWith(rule: Partial<AlertRule> = low) {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.addRule("rule", rule);
  await world.alerts.runOnce();
  /** Sends records that are alternately beyond and within the threshold. The last one is within. */
  const flap = async (times: number) => {
    for (let left = 2 * times; left > 0; left--) {
      world.clock.advance(10);
      await world.send("gw-1", { soc: left % 2 === 0 ? 10 : 30 });
    }
    await world.pass(minuteMs);
  };
  return { world, flap };
}

test("§8 a rule fires five alerts about a device in quick succession, and then one every 30 minutes", async () => {
  const { world, flap } = await openWith();
  await flap(40);
  const first = await world.events();
  expect([count(first, "firing"), count(first, "cleared")]).toEqual([5, 5]);
  // The store has the limit: another process knows it.
  const other = openAlertWorld({ clock: world.clock }, world.store);
  for (let minute = 0; minute < 182; minute++) {
    await world.send("gw-1", { soc: minute % 2 === 0 ? 10 : 30 });
    world.clock.advance(minuteMs);
    await (minute % 3 === 0 ? world : other).alerts.runOnce();
  }
  expect(count(await world.events(), "firing")).toBe(6);
  expect(await world.store.alerts.firing(["gw-1"])).toEqual([]);
});

test("§8 beyond that limit an alert waits, and fires although the device sends nothing more", async () => {
  const { world, flap } = await openWith();
  await flap(5);
  await world.events();
  await world.send("gw-1", { soc: 12 });
  await world.send("gw-1", { voltage: 3 });
  await world.pass(28 * minuteMs);
  expect(await world.events()).toEqual([]);
  await world.pass(3 * minuteMs);
  expect(await world.events()).toEqual(["firing gw-1"]);
  const [alert] = await world.store.alerts.firing(["gw-1"]);
  expect(alert?.details).toMatchObject({ value: 12 });
});

test("§8 an alert that waits does not fire if the condition no longer holds, or the rule was changed", async () => {
  const { world, flap } = await openWith();
  await flap(5);
  await world.events();
  await world.send("gw-1", { soc: 12 });
  await world.pass(10 * minuteMs);
  await world.send("gw-1", { soc: 30 });
  await world.pass(30 * minuteMs);
  expect(await world.events()).toEqual([]);
  await flap(1);
  await world.events();
  await world.send("gw-1", { soc: 12 });
  await world.pass(minuteMs);
  const rule = (await world.store.alerts.findRule("rule")) as AlertRule;
  await world.store.alerts.replaceRule({
    rule: { ...rule, revision: 2, condition: { ...low.condition, threshold: 5, clearAt: 5 } },
    expectedRevision: 1,
    event: sampleSecurityEvent("", "alert_rule.changed"),
  });
  await world.pass(60 * minuteMs);
  expect(await world.events()).toEqual([]);
});

test("§8 the limit holds for silence too", async () => {
  const { world } = await openWith({ condition: { kind: "silent", intervals: 2 } });
  for (let n = 0; n < 12; n++) {
    await world.send("gw-1", { soc: 50 });
    await world.pass(5 * minuteMs);
  }
  // Five at once, and one more after 30 minutes.
  expect(count(await world.events(), "firing")).toBe(6);
  await world.pass(30 * minuteMs);
  expect(await world.events()).toEqual(["firing gw-1"]);
});

test("§8 a device does not escape the limit with a change of its hardware", async () => {
  const { world } = await openWith({ ...low, targetHardware: "esp32" });
  for (let n = 0; n < 20; n++) {
    const targetHardware = n % 2 === 0 ? "esp32" : "other";
    const { profile } = sampleDevice("gw-1");
    await world.store.devices.recordProfile({
      ...{ deviceId: "gw-1", profile: { ...profile, targetHardware }, now: world.clock.now() },
    });
    await world.send("gw-1", { soc: 10 });
    world.clock.advance(1_000);
    await world.alerts.runOnce();
  }
  const events = await world.events();
  expect([count(events, "firing"), count(events, "cleared")]).toEqual([5, 5]);
});

test("a request whose records fire and clear many alerts is judged bit by bit, in order, and loses none of them", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  for (let n = 0; n < 50; n++) await world.addRule(`rule-${n}`, low);
  await world.alerts.runOnce();
  const receivedAt = world.clock.now();
  const socOf = (n: number) => (n % 2 === 0 ? 0 : 30) + n / 1_000;
  // Pairs of records have the same time. The last record of all stays beyond the threshold.
  const records = Array.from({ length: 499 }, (_, n) => ({
    ...{ at: receivedAt + Math.floor(n / 2), seq: null, isTimed: true, value: { soc: socOf(n) } },
  }));
  // The newest first: the order of measurement counts.
  const newestFirst = records.toSorted((a, b) => b.at - a.at);
  await world.store.telemetry.append({
    ...{ deviceId: "gw-1", receivedAt, once: null, records: newestFirst },
  });
  const counts: number[] = [];
  const { judge } = world.store.alerts;
  vi.spyOn(world.store.alerts, "judge").mockImplementation((input) => {
    counts.push(input.transitions.length);
    return judge(input);
  });
  for (let round = 0; round < 12; round++) {
    world.clock.advance(1_000);
    await world.alerts.runOnce();
  }
  expect(Math.max(...counts)).toBe(50);
  const events = await world.store.securityEvents.list({ after: 0, limit: 1_000 });
  const values = events.flatMap(({ kind, details }) =>
    kind === "alert.firing" || kind === "alert.cleared" ? [details["value"]] : [],
  );
  expect(values).toEqual(Array.from({ length: 500 }, (_, n) => socOf(Math.floor(n / 50))));
  // The last record waits for the limit of each rule.
  await world.pass(31 * minuteMs);
  expect(await world.store.alerts.firing(["gw-1"])).toHaveLength(50);
});

/** Writes an event of the log in the transaction of another change. */
async function log(
  { store }: ReturnType<typeof openAlertWorld>,
  n: number,
  details: JsonObject,
): Promise<void> {
  const event = { ...sampleSecurityEvent("gw-1", "update.moved", details), deviceId: "gw-1" };
  await store.devices.register({ device: sampleDevice(`other-${n}`), event });
}

test("§8 the limit holds for failed updates too", async () => {
  const { world } = await openWith({ condition: { kind: "update_failed" } });
  const move = (n: number, to: string) => log(world, n, { to, releaseId: 1, version: "1.2.3" });
  let n = 0;
  const flap = async (times: number) => {
    for (let left = times; left > 0; left--) {
      await move(n++, "rolled_back");
      await move(n++, "succeeded");
    }
    await world.pass(minuteMs);
  };
  await flap(3);
  await flap(20);
  expect(count(await world.events(), "firing")).toBe(5);
  await world.pass(31 * minuteMs);
  await flap(2);
  expect(await world.events()).toEqual(["firing gw-1", "cleared gw-1"]);
});
