import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { refuse } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

const dayMs = 86_400_000;
const kinds = ["device.renamed"] as const;

/** Opens a world over a store whose calls a test can interrupt. */
async function openInterruptedWorld() {
  const state = createMemoryState();
  const real = createMemoryStore(state);
  const store = {
    ...real,
    followers: { ...real.followers },
    webhooks: { ...real.webhooks },
  };
  const fail = () => Promise.reject(new Error("planted"));
  return { ...(await createWebhookWorld({}, store)), state, real, store, fail };
}

test("a webhook that could not be deleted sends nothing again", async () => {
  const world = await openInterruptedWorld();
  const { add, write, sender, manager, store, real, arrivals, actor, fail } = world;
  const { id } = (await add({ kinds })).endpoint;
  await write("gw-1");
  await sender.runRounds();
  store.webhooks.remove = fail;
  await expect(manager.remove({ id, actor })).rejects.toThrow("planted");
  await sender.runRounds();
  expect(arrivals()).toEqual(["gw-1"]);
  store.webhooks.remove = real.webhooks.remove;
  expect(await manager.remove({ id, actor })).toEqual({ kind: "removed" });
});

test("a deleted webhook leaves no cursor, not even those of interrupted replays", async () => {
  const { add, sender, manager, state, store, actor, fail } = await openInterruptedWorld();
  const { id } = (await add({ kinds })).endpoint;
  await sender.runRounds();
  store.followers.remove = fail;
  await expect(manager.replay({ id, from: 0, actor })).rejects.toThrow("planted");
  expect(await manager.remove({ id, actor })).toEqual({ kind: "removed" });
  expect([...state.followers.keys()]).toEqual([]);
});

test.each(["deleted", "replayed"])(
  "a webhook that is %s while a sender takes its lease leaves no cursor",
  async (how) => {
    const { add, sender, manager, state, store, real, actor } = await openInterruptedWorld();
    const { id } = (await add({ kinds })).endpoint;
    store.followers.take = async (input) => {
      store.followers.take = real.followers.take;
      if (how === "deleted") await manager.remove({ id, actor });
      else await manager.replay({ id, from: 0, actor });
      return real.followers.take(input);
    };
    await sender.runRounds();
    await sender.runRounds();
    const current = how === "deleted" ? [] : [`webhook:${id}:1`];
    expect([...state.followers.keys()]).toEqual(current);
  },
);

test("an endpoint is never enabled with the failures from before", async () => {
  const world = await openInterruptedWorld();
  const { add, find, write, sender, receiver, clock, manager, store, real, actor, fail } = world;
  const { id } = (await add({ kinds })).endpoint;
  receiver.answer = refuse;
  await write("gw-1");
  await write("gw-1");
  await sender.runRounds();
  await manager.change({ id, enabled: false, actor });
  clock.advance(6 * dayMs);
  store.webhooks.record = fail;
  await expect(manager.change({ id, enabled: true, actor })).rejects.toThrow("planted");
  store.webhooks.record = real.webhooks.record;
  await sender.runRounds();
  expect(await find(id)).toMatchObject({ enabled: false, disabledReason: null });
  await manager.change({ id, enabled: true, actor });
  await sender.runRounds();
  expect(await find(id)).toMatchObject({ enabled: true });
});
