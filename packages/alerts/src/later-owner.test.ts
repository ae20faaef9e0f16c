import { sampleSecurityEvent } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { minuteMs, openAlertWorld } from "./testing/alert-world.js";

/** Alice's device sends, and is then released. Bob claims it an hour later. */
async function openWorld() {
  const world = openAlertWorld({ presence: true });
  const { store, clock } = world;
  await world.register("gw-1", null);
  const assign = (ownerId: string) => {
    const event = sampleSecurityEvent("gw-1", "device.assigned");
    return store.claims.assign({ deviceId: "gw-1", ownerId, now: clock.now(), event });
  };
  await assign("alice");
  const sentAt = clock.now();
  await world.send("gw-1", { soc: 50 });
  await world.pass(minuteMs);
  const event = sampleSecurityEvent("gw-1", "device.released");
  await store.claims.release({ deviceId: "gw-1", ownerId: "alice", spendCode: false, event });
  clock.advance(2 * minuteMs);
  await assign("bob");
  return { ...world, sentAt };
}

test("§7 an alert about silence does not say when the device sent for a former owner", async () => {
  const world = await openWorld();
  await world.addRule("silent", { ownerId: "bob" });
  await world.addRule("fleet", { ownerId: null });
  await world.pass(20 * minuteMs);
  const sentTo = (ownerId: string | null) =>
    world.messages.flatMap((message) => (message.ownerId === ownerId ? message.notifications : []));
  expect(sentTo("bob")).toMatchObject([{ kind: "firing", details: { lastTelemetryAt: 0 } }]);
  expect(sentTo(null)).toMatchObject([{ details: { lastTelemetryAt: world.sentAt } }]);
  await world.send("gw-1", { soc: 50 });
  await world.pass(minuteMs);
  expect(sentTo("bob").map(({ kind }) => kind)).toEqual(["firing", "cleared"]);
});

test("§7 the event that a device is offline does not say when it sent for a former owner", async () => {
  const { store, pass } = await openWorld();
  await pass(20 * minuteMs);
  const kinds = ["device.offline"] as const;
  const events = await store.securityEvents.list({ after: 0, limit: 9, kinds });
  expect(events.map(({ details }) => details)).toEqual([{ lastSeenAt: null }]);
});
