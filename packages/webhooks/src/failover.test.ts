import type { GatewayStore } from "@device-gateway/core";
import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { accept } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

/** Opens a world whose database fails over to a copy of what it had earlier. */
async function openFailingOverWorld() {
  const state = createMemoryState();
  let current = createMemoryStore(state);
  const switching = new Proxy(current, {
    get: (first, port: keyof GatewayStore) =>
      // A port that was taken before the failover also leads to the copy.
      new Proxy(first[port] as object, {
        get: (_, method) => Reflect.get(current[port] as object, method) as unknown,
      }),
  });
  const copy = () => {
    const behind = structuredClone(state);
    return () => {
      current = createMemoryStore(behind);
    };
  };
  return { ...(await createWebhookWorld({ forOwners: true }, switching)), copy };
}

test("after a failover that lost events, an owner gets the new events that took their numbers", async () => {
  const { add, write, claim, sender, arrivals, receiver, copy } = await openFailingOverWorld();
  await add({ kinds: ["device.renamed"] }, receiver.url, "bob");
  for (const [deviceId, ownerId] of [
    ["gw-1", "bob"],
    ["gw-2", "carol"],
  ] as const) {
    await write(deviceId, "device.registered");
    await claim(deviceId, ownerId);
  }
  await sender.runRounds();
  const failOver = copy();
  // The sender remembers that it has read these, and has stored nothing about them.
  for (let n = 0; n < 5; n++) await write("gw-2");
  await sender.runRounds();
  failOver();
  await write("gw-1");
  await sender.runRounds();
  expect(arrivals()).toEqual(["gw-1"]);
});

test("a round that sends during a failover does not skip the new events that took the numbers of lost ones", async () => {
  const { add, write, sender, arrivals, receiver, copy } = await openFailingOverWorld();
  await add({ kinds: ["device.renamed"] });
  for (const deviceId of ["gw-1", "gw-2"]) await write(deviceId, "device.registered");
  await sender.runRounds();
  const failOver = copy();
  for (let n = 0; n < 5; n++) await write("gw-2");
  receiver.answer = (response, received) => {
    failOver();
    accept(response, received);
  };
  await sender.runRounds();
  receiver.answer = accept;
  receiver.received.length = 0;
  await write("gw-1");
  await sender.runRounds();
  expect(arrivals()).toEqual(["gw-1"]);
});
