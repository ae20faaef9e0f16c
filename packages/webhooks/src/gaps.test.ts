import { expect, test } from "vitest";
import { accept, refuse } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

const minuteMs = 60_000;

/**
 * A receiver fails, and events that it has not received are deleted in the meantime. Events from `from` on are sent
 * again.
 */
async function createGap(from: "the beginning" | "later") {
  const world = await createWebhookWorld();
  const { add, write, sender, receiver, store, clock, manager, messages, actor } = world;
  const { endpoint } = await add({ kinds: ["update.moved", "device.renamed"] });
  const { id } = endpoint;
  receiver.answer = refuse;
  for (let n = 0; n < 2; n++) await write("gw-0");
  await sender.runRounds();
  clock.advance(60 * minuteMs);
  const later = clock.now();
  await write("gw-1", "update.moved");
  await store.securityEvents.prune({ kind: "update.moved", before: later + 1, limit: 9 });
  for (const deviceId of ["gw-1", "gw-2", "gw-3"]) await write(deviceId);
  await manager.replay({ id, from: from === "later" ? later : 0, actor });
  const gaps = () => receiver.received.filter(({ type }) => type === "events.gap");
  const storedGaps = async () => {
    const { waiting, dead } = await messages(id);
    return [...waiting, ...dead].filter(({ messageId }) => messageId.startsWith("gap_"));
  };
  return { ...world, gaps, storedGaps };
}

test.each(["the beginning", "later"] as const)(
  "a gap from %s on is sent again until it arrives, with the same id, and other events follow",
  async (from) => {
    const { sender, receiver, clock, gaps, storedGaps } = await createGap(from);
    for (let round = 0; round < 60 && gaps().length < 2; round++) {
      clock.advance(10 * minuteMs);
      await sender.runRounds();
    }
    expect(gaps()).toHaveLength(2);
    expect(await storedGaps()).toHaveLength(1);
    receiver.answer = accept;
    for (let round = 0; round < 5; round++) {
      clock.advance(60 * minuteMs);
      await sender.runRounds();
    }
    expect(await storedGaps()).toEqual([]);
    expect(new Set(gaps().map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(receiver.received.map(({ deviceId }) => deviceId)).toContain("gw-3");
  },
);

test("an endpoint that fails for an hour has one message about a gap", async () => {
  const { sender, clock, storedGaps } = await createGap("later");
  for (let round = 0; round < 60; round++) {
    clock.advance(minuteMs);
    await sender.runRounds();
  }
  expect(await storedGaps()).toHaveLength(1);
});
