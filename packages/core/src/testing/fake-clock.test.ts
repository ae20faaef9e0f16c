import { expect, it } from "vitest";
import { createFakeClock } from "./fake-clock.js";

it("stands still until it is advanced", () => {
  const clock = createFakeClock(1_000);
  expect(clock.now()).toBe(1_000);
  expect(clock.now()).toBe(1_000);
  clock.advance(250);
  expect(clock.now()).toBe(1_250);
});
