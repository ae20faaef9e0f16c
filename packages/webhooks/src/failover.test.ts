import type { GatewayStore } from "@device-gateway/core";
import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { createWebhookWorld } from "./testing/webhook-world.js";

test("after a failover that lost events, an owner gets the new events that took their numbers", async () => {
  const state = createMemoryState();
  let current = createMemoryStore(state);
  const switching = new Proxy(current, {
    get: (_, port) => current[port as keyof GatewayStore],
  });
  const world = await createWebhookWorld({ forOwners: true }, switching);
  const { add, write, claim, sender, arrivals, receiver } = world;
  await add({ kinds: ["device.renamed"] }, receiver.url, "bob");
  for (const [deviceId, ownerId] of [
    ["gw-1", "bob"],
    ["gw-2", "carol"],
  ] as const) {
    await write(deviceId, "device.registered");
    await claim(deviceId, ownerId);
  }
  await sender.runRounds();
  const behind = structuredClone(state);
  // The sender remembers that it has read these, and has stored nothing about them.
  for (let n = 0; n < 5; n++) await write("gw-2");
  await sender.runRounds();
  current = createMemoryStore(behind);
  await write("gw-1");
  await sender.runRounds();
  expect(arrivals()).toEqual(["gw-1"]);
});
