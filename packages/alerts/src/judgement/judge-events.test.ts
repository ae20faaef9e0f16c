import type { JsonObject, SecurityEventKind } from "@device-gateway/core/store";
import {
  sampleDevice,
  sampleRelease,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { expect, test, vi } from "vitest";
import { type AlertWorld, minuteMs, openAlertWorld } from "../testing/alert-world.js";

test("§8 a failed update fires, and the next successful one clears", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.addRule("failed", { condition: { kind: "update_failed" } });
  await world.alerts.runOnce();
  const move = (to: string, deviceId = "gw-1") =>
    log(world.store, "update.moved", deviceId, { to, releaseId: 1, version: "1.2.3" });
  await move("downloading");
  await move("failed");
  await move("downloading");
  await move("rolled_back");
  await move("failed", "gw-2");
  await world.pass(minuteMs);
  expect(await world.events()).toEqual(["firing gw-1"]);
  await move("succeeded");
  await move("succeeded");
  await world.pass(minuteMs);
  expect(await world.events()).toEqual(["cleared gw-1"]);
  await world.pass(minuteMs);
  expect(await world.events()).toEqual([]);
});

test("§8 a halted rollout fires for operators, and clears when the release is activated again or withdrawn", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  const halted = { kind: "rollout_halted" } as const;
  await world.addRule("all", { condition: halted, ownerId: null });
  await world.addRule("esp32", { condition: halted, ownerId: null, targetHardware: "esp32" });
  await world.addRule("other", { condition: halted, ownerId: null, targetHardware: "other" });
  await world.addRule("of-owner", { condition: halted });
  const { release } = await world.store.releases.create({
    release: sampleRelease({ targetHardware: "esp32" }),
    event: sampleSecurityEvent("", "release.created"),
  });
  const { id } = release;
  await world.alerts.runOnce();
  const move = (kind: SecurityEventKind, releaseId = id) =>
    log(world.store, kind, "", { releaseId });
  const firing = async () =>
    (await world.store.alerts.firing([`release/${id}`])).map(({ ruleId }) => ruleId).sort();
  await move("release.activated");
  await world.pass(minuteMs);
  expect(await firing()).toEqual([]);
  await move("release.halted");
  await move("release.halted");
  await move("release.halted", id + 1_000);
  await world.pass(minuteMs);
  expect(await firing()).toEqual(["all", "esp32"]);
  expect(await world.events()).toHaveLength(2);
  await move("release.activated");
  await world.pass(minuteMs);
  expect(await firing()).toEqual([]);
  expect(await world.events()).toHaveLength(2);
  await move("release.halted");
  await world.pass(minuteMs);
  await move("release.withdrawn");
  await world.pass(minuteMs);
  expect(await firing()).toEqual([]);
  expect((await world.events()).map((text) => text.split(" ")[0])).toEqual([
    ...["firing", "firing", "cleared", "cleared"],
  ]);
});

test("§8 a rule judges no event before it existed", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  const { release } = await world.store.releases.create({
    release: sampleRelease({ targetHardware: "esp32" }),
    event: sampleSecurityEvent("", "release.created"),
  });
  const fail = async () => {
    await log(world.store, "update.moved", "gw-1", { to: "failed" }, world.clock.now());
    await log(world.store, "release.halted", "", { releaseId: release.id }, world.clock.now());
  };
  await world.addRule("silent", { ownerId: "bob" });
  await world.alerts.runOnce();
  const event = sampleSecurityEvent("", "alert_rule.removed");
  await world.store.alerts.removeRule({ id: "silent", limit: 9, event });
  // Without rules, nothing is evaluated.
  await fail();
  world.clock.advance(minuteMs);
  await world.addRule("failed", { condition: { kind: "update_failed" } });
  await world.addRule("halted", { condition: { kind: "rollout_halted" }, ownerId: null });
  await world.pass(minuteMs);
  expect(await world.events()).toEqual([]);
  await fail();
  await world.pass(minuteMs);
  expect(await world.events()).toEqual(["firing gw-1", "firing halted"]);
});

test("§8 failed updates fire again after alerts that fired under a clock that was ahead", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.addRule("failed", { condition: { kind: "update_failed" } });
  await world.alerts.runOnce();
  const move = async (to: string) => {
    await log(world.store, "update.moved", "gw-1", { to, releaseId: 1, version: "1.2.3" });
    await world.pass(minuteMs);
    return world.events();
  };
  const dayMs = 24 * 60 * minuteMs;
  world.clock.advance(dayMs);
  expect(await move("failed")).toEqual(["firing gw-1"]);
  expect(await move("succeeded")).toEqual(["cleared gw-1"]);
  world.clock.advance(-dayMs);
  expect(await move("failed")).toEqual(["firing gw-1"]);
});

/** Notes how many transitions each judgement writes. */
function noteTransitions({ store }: AlertWorld): readonly number[] {
  const counts: number[] = [];
  const { judge } = store.alerts;
  vi.spyOn(store.alerts, "judge").mockImplementation((input) => {
    counts.push(input.transitions.length);
    return judge(input);
  });
  return counts;
}

test("failed updates of many devices with many rules fire all alerts, few of them in each judgement", async () => {
  const world = openAlertWorld();
  const ids = Array.from({ length: 14 }, (_, n) => `gw-${n + 10}`);
  for (const id of ids) await world.register(id);
  for (const ownerId of ["alice", null]) {
    for (let n = 0; n < 30; n++) {
      const id = `${ownerId ?? "fleet"}-${n}`;
      await world.addRule(id, { ownerId, condition: { kind: "update_failed" } });
    }
  }
  await world.register("bobs", "bob");
  await world.addRule("low", {
    ownerId: "bob",
    condition: { kind: "below", metric: "soc", threshold: 20, clearAt: 20, holdSeconds: 0 },
  });
  await world.alerts.runOnce();
  for (const to of ["failed", "succeeded", "failed"]) {
    for (const id of ids) await log(world.store, "update.moved", id, { to });
  }
  await world.send("bobs", { soc: 10 });
  const counts = noteTransitions(world);
  await world.pass(minuteMs);
  // One event causes 60. The device does not wait until all events are judged.
  expect(Math.max(...counts)).toBe(60);
  expect(await world.events()).toContain("firing bobs");
  for (let round = 0; round < 4; round++) await world.pass(minuteMs);
  const alerts = await world.store.alerts.firing(ids);
  expect(alerts).toHaveLength(ids.length * 60);
  const events = await world.store.securityEvents.list({ after: 0, limit: 10_000 });
  const count = (kind: SecurityEventKind) => events.filter((event) => event.kind === kind).length;
  expect(count("alert.firing")).toBe(1 + 2 * 60 * ids.length);
  expect(count("alert.cleared")).toBe(60 * ids.length);
});

test("devices are judged although events arrive faster than they are judged", async () => {
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.addRule("failed", { condition: { kind: "update_failed" } });
  await world.alerts.runOnce();
  const { list } = world.store.securityEvents;
  const event = { ...sampleSecurityEvent("gw-1", "update.moved", { to: "failed" }), id: 0 };
  let pages = 0;
  let pagesBefore: number | null = null;
  vi.spyOn(world.store.securityEvents, "list").mockImplementation(async (input) => {
    if (pages++ >= 100) return list(input);
    return Array.from({ length: input.limit }, (_, n) => ({ ...event, id: input.after + n + 1 }));
  });
  const { due } = world.store.alerts;
  vi.spyOn(world.store.alerts, "due").mockImplementation((input) => {
    pagesBefore ??= pages;
    return due(input);
  });
  await world.alerts.runOnce();
  expect(pagesBefore).toBe(10);
  expect(pages).toBe(11);
});

test("each device of many events, their rules and their alerts are read once", async () => {
  const world = openAlertWorld();
  const ids = ["gw-1", "gw-2", "gw-3"];
  for (const id of ids) await world.register(id);
  for (const id of ["r1", "r2", "r3"]) {
    await world.addRule(id, { condition: { kind: "update_failed" } });
  }
  await world.alerts.runOnce();
  for (const to of ["downloading", "failed", "succeeded", "failed", "rolled_back"]) {
    for (const id of ids) await log(world.store, "update.moved", id, { to });
  }
  const find = vi.spyOn(world.store.devices, "find");
  const rulesOf = vi.spyOn(world.store.alerts, "rulesOf");
  const firing = vi.spyOn(world.store.alerts, "firing");
  await world.alerts.runOnce();
  expect(find.mock.calls.flat().sort()).toEqual(ids);
  expect(rulesOf).toHaveBeenCalledTimes(1);
  expect(firing.mock.calls.filter(([subjects]) => subjects.includes("gw-1"))).toHaveLength(1);
  expect(await world.store.alerts.firing(ids)).toHaveLength(9);
});

/** Writes an event of the log in the transaction of another change. */
async function log(
  store: ReturnType<typeof openAlertWorld>["store"],
  kind: SecurityEventKind,
  deviceId: string,
  details: JsonObject,
  at = sampleTime,
): Promise<void> {
  const id = `mark-${Math.random()}`;
  const device = sampleDevice(id);
  const event = { ...sampleSecurityEvent(deviceId, kind, details), at };
  await store.devices.register({ device, event });
}
