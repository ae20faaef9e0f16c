import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test, vi } from "vitest";
import { accept, refuse } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

const minuteMs = 60_000;

/** Opens a world whose endpoint has failed for ten minutes. Several messages wait. */
async function openFailingWorld() {
  const store = createMemoryStore();
  const world = await createWebhookWorld({}, store);
  const { add, write, sender, receiver, clock } = world;
  const { id } = (await add({ kinds: ["device.renamed"] })).endpoint;
  receiver.answer = refuse;
  for (const deviceId of ["gw-1", "gw-1", "gw-2"]) await write(deviceId);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000);
      await sender.runRounds();
    }
  };
  await pass(600);
  return { ...world, id, pass };
}

test("the messages of a failing endpoint are not read each second while none of them is due", async () => {
  const { store, pass, receiver } = await openFailingWorld();
  const waiting = vi.spyOn(store.webhooks, "waiting");
  const before = receiver.received.length;
  await pass(600);
  const readsOfAll = waiting.mock.calls.filter(([{ limit }]) => limit > 1).length;
  expect(readsOfAll).toBeLessThan(600 / 4);
  expect(receiver.received.length).toBeGreaterThan(before);
  expect(receiver.received.length - before).toBeLessThan(readsOfAll);
});

test("a failing endpoint gets a test message at once, and all others after a change of its URL", async () => {
  const { id, manager, pass, receiver, actor, messages, clock } = await openFailingWorld();
  receiver.received.length = 0;
  await manager.test({ id });
  await pass(1);
  expect(receiver.received.map(({ type }) => type)).toContain("webhook.test");
  receiver.answer = accept;
  await manager.change({ id, url: `${receiver.url}?repaired`, actor });
  clock.advance(60 * minuteMs);
  await pass(3);
  expect(await messages(id)).toEqual({ waiting: [], dead: [] });
});
