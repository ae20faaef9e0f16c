import { expect, test } from "vitest";
import { accept, refuse } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

const dayMs = 86_400_000;

/** An endpoint fails while the clock is ahead, and gets events after the clock was set back. */
async function openLaterWorld() {
  const world = await createWebhookWorld();
  const { add, write, sender, receiver, clock } = world;
  await add({ kinds: ["device.renamed"] });
  for (const deviceId of ["gw-1", "gw-2", "gw-3"]) await write(deviceId, "device.registered");
  receiver.answer = refuse;
  clock.advance(30 * dayMs);
  for (const deviceId of ["gw-1", "gw-2"]) {
    await write(deviceId);
    await sender.runRounds();
    clock.advance(1_000);
  }
  clock.advance(-30 * dayMs);
  receiver.received.length = 0;
  return world;
}

test("a clock that was ahead once does not hold back the messages that failed then", async () => {
  const { sender, receiver, arrivals } = await openLaterWorld();
  receiver.answer = accept;
  for (let n = 0; n < 2; n++) await sender.runRounds();
  expect(arrivals()).toEqual(["gw-1", "gw-2"]);
});

test("a failing endpoint that was tried while the clock was ahead is tried with new messages", async () => {
  const { write, sender, arrivals } = await openLaterWorld();
  await write("gw-3");
  for (let n = 0; n < 3; n++) await sender.runRounds();
  expect(arrivals()).toEqual(["gw-1", "gw-2", "gw-3"]);
});
