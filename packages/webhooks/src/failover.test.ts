import type { GatewayStore } from "@device-gateway/core";
import type { WebhookStore } from "@device-gateway/core/store";
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
  /** Runs when a sender has read the messages that wait. */
  const hooks = { afterWaiting: async () => {} };
  const webhooks = new Proxy(switching.webhooks, {
    get: (port, method: keyof WebhookStore) => {
      if (method !== "waiting") return port[method];
      return async (input: Parameters<WebhookStore["waiting"]>[0]) => {
        const waiting = await port.waiting(input);
        await hooks.afterWaiting();
        return waiting;
      };
    },
  });
  const copy = () => {
    const behind = structuredClone(state);
    return () => {
      current = createMemoryStore(behind);
    };
  };
  const store = { ...switching, webhooks };
  return { ...(await createWebhookWorld({ forOwners: true }, store)), copy, hooks };
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

test("a round that read its place before a failover does not remember it after the failover", async () => {
  const world = await openFailingOverWorld();
  const { add, write, claim, sender, open, arrivals, receiver, copy, hooks } = world;
  await add({ kinds: ["device.renamed"] }, receiver.url, "bob");
  await write("gw-1", "device.registered");
  await claim("gw-1", "bob");
  const failOver = copy();
  for (let n = 0; n < 5; n++) await write("gw-1");
  await sender.runRounds();
  await sender.stop();
  expect(arrivals()).toHaveLength(5);
  receiver.received.length = 0;
  const next = open();
  hooks.afterWaiting = async () => {
    hooks.afterWaiting = async () => {};
    failOver();
    await next.runRounds();
  };
  await next.runRounds();
  await write("gw-1");
  await next.runRounds();
  expect(arrivals()).toEqual(["gw-1"]);
});
