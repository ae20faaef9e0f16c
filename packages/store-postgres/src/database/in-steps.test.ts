import { afterEach, expect, it, vi } from "vitest";
import { endOfPatience, inSteps } from "./in-steps.js";

afterEach(() => vi.restoreAllMocks());

it("goes on until a step finds fewer rows", async () => {
  const found = [5, 5, 4, 5];
  const deleteSome = vi.fn(() => Promise.resolve(found.shift() ?? 0));
  expect(await inSteps(5, deleteSome)).toBe(true);
  expect(deleteSome).toHaveBeenCalledTimes(3);
});

it("ends when its patience does, which several may share", async () => {
  let now = 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const deleteSome = vi.fn(() => {
    now += 300;
    return Promise.resolve(5);
  });
  const deadline = endOfPatience();
  expect(await inSteps(5, deleteSome, deadline)).toBe(false);
  expect(deleteSome).toHaveBeenCalledTimes(3);
  expect(await inSteps(5, deleteSome, deadline)).toBe(false);
  expect(deleteSome).toHaveBeenCalledTimes(3);
});
