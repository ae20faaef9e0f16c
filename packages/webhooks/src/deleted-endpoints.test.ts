import { sampleSecurityEvent } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { refuse } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

type World = Awaited<ReturnType<typeof createWebhookWorld>>;

/** Deletes an endpoint, runs a round, and stores the endpoint again under its id. */
async function deleteAndRestore({ store, manager, sender, actor }: World, id: string) {
  const endpoint = (await store.webhooks.list()).find((each) => each.id === id);
  if (endpoint === undefined) throw new Error("There is no such endpoint.");
  await manager.remove({ id, actor });
  await sender.runRounds();
  const event = sampleSecurityEvent("", "webhook.created");
  await store.webhooks.create({ endpoint, limit: 9, total: 9, event });
}

test("the sender forgets how far it read the log for a deleted endpoint", async () => {
  const world = await createWebhookWorld({ forOwners: true });
  const { add, write, claim, sender, arrivals, receiver } = world;
  const { id } = (await add({ kinds: ["device.claimed"] }, receiver.url, "bob")).endpoint;
  await write("gw-1", "device.registered");
  await claim("gw-1", "bob");
  await sender.runRounds();
  await deleteAndRestore(world, id);
  await sender.runRounds();
  expect(arrivals()).toEqual(["gw-1", "gw-1"]);
});

test("the sender forgets when it tried a deleted endpoint", async () => {
  const world = await createWebhookWorld();
  const { add, write, sender, arrivals, receiver, clock } = world;
  const { id } = (await add({ kinds: ["device.renamed"] })).endpoint;
  for (const deviceId of ["gw-1", "gw-2"]) await write(deviceId, "device.registered");
  receiver.answer = refuse;
  await write("gw-1");
  await sender.runRounds();
  clock.advance(1_000);
  await write("gw-2");
  await sender.runRounds();
  expect(arrivals()).toEqual(["gw-1", "gw-2"]);
  await deleteAndRestore(world, id);
  await sender.runRounds();
  expect(arrivals()).toEqual(["gw-1", "gw-2", "gw-1"]);
});
