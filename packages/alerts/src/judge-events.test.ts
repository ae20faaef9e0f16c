import type { JsonObject, SecurityEventKind } from "@device-gateway/core/store";
import {
  sampleDevice,
  sampleRelease,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { expect, test } from "vitest";
import { minuteMs, openAlertWorld } from "./testing/alert-world.js";

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
