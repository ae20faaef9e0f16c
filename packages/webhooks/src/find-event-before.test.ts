import { expect, test } from "vitest";
import { createWebhookWorld } from "./testing/webhook-world.js";

test("a replay misses no event although the clocks of the servers that wrote them differ", async () => {
  const { add, write, sender, receiver, clock, manager, arrivals, actor } =
    await createWebhookWorld();
  const { id } = (await add({ kinds: ["device.renamed"] })).endpoint;
  const begin = clock.now();
  const seconds = [0, 60, -240, 120, -180, 180];
  for (const at of seconds) {
    clock.advance(begin + at * 1_000 - clock.now());
    await write(`${at}`);
  }
  await sender.runRounds();
  receiver.received.length = 0;
  await manager.replay({ id, from: begin + 30_000, actor });
  await sender.runRounds();
  expect(arrivals()).toEqual(expect.arrayContaining(["60", "120", "180"]));
});

test("a replay of recent events reads no old ones", async () => {
  const { add, write, sender, receiver, clock, manager, arrivals, actor } =
    await createWebhookWorld();
  const { id } = (await add({ kinds: ["device.renamed"] })).endpoint;
  for (let minute = 0; minute < 60; minute++) {
    await write(`${minute}`);
    clock.advance(60_000);
  }
  await sender.runRounds();
  receiver.received.length = 0;
  await manager.replay({ id, from: clock.now() - 5 * 60_000, actor });
  await sender.runRounds();
  // Up to 15 minutes before the time as well, because a clock may have been wrong by that much.
  expect(
    arrivals()
      .map(Number)
      .sort((a, b) => a - b)[0],
  ).toBe(40);
  expect(arrivals()).toHaveLength(20);
});
