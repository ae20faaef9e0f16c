import { createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { LeaseLostError, takeLease } from "./lease.js";

const dayMs = 86_400_000;

test("a lease is renewed, or found lost, after the clock was set back", async () => {
  const { followers } = createMemoryStore();
  const clock = createFakeClock();
  const take = (holder: string) => takeLease(followers, clock, { name: "webhook:1:0", holder });
  clock.advance(dayMs);
  const first = await take("first");
  expect(await take("second")).toBeNull();
  clock.advance(-dayMs);
  const second = await take("second");
  expect(second).not.toBeNull();
  await expect(first?.keep()).rejects.toThrow(LeaseLostError);
  await second?.keep();
});

test("a lease that was taken before the clock was set back is renewed from the new time on", async () => {
  const { followers } = createMemoryStore();
  const clock = createFakeClock();
  const take = (holder: string) => takeLease(followers, clock, { name: "webhook:1:0", holder });
  clock.advance(dayMs);
  const first = await take("first");
  clock.advance(-dayMs);
  await first?.keep();
  expect(await take("second")).toBeNull();
});
