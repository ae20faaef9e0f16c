import type { JsonObject, SecurityEventKind } from "@device-gateway/core/store";
import { sampleDevice, sampleSecurityEvent } from "@device-gateway/testing";
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

/** Writes an event of the log in the transaction of another change. */
async function log(
  store: ReturnType<typeof openAlertWorld>["store"],
  kind: SecurityEventKind,
  deviceId: string,
  details: JsonObject,
): Promise<void> {
  const id = `mark-${Math.random()}`;
  const device = sampleDevice(id);
  const event = { ...sampleSecurityEvent(deviceId, kind, details), deviceId };
  await store.devices.register({ device, event });
}
