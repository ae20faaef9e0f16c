import { afterEach, expect, it, vi } from "vitest";
import { deleteInSteps, deletionDeadline } from "./delete-in-steps.js";

afterEach(() => vi.restoreAllMocks());

it("continues until a step finds fewer rows", async () => {
  const found = [5, 5, 4, 5];
  const deleteSome = vi.fn(() => Promise.resolve(found.shift() ?? 0));
  expect(await deleteInSteps(5, deleteSome)).toBe(true);
  expect(deleteSome).toHaveBeenCalledTimes(3);
});

it("ends at the deadline, which several calls can share", async () => {
  let now = 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const deleteSome = vi.fn(() => {
    now += 300;
    return Promise.resolve(5);
  });
  const deadline = deletionDeadline();
  expect(await deleteInSteps(5, deleteSome, deadline)).toBe(false);
  expect(deleteSome).toHaveBeenCalledTimes(3);
  expect(await deleteInSteps(5, deleteSome, deadline)).toBe(false);
  expect(deleteSome).toHaveBeenCalledTimes(3);
});
