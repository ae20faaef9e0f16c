import { expect, it } from "vitest";
import { createCallQueue } from "./call-queue.js";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

it("starts a call at once when none is running", () => {
  let begun = false;
  void createCallQueue()(async () => {
    begun = true;
  });
  expect(begun).toBe(true);
});

it("runs one call at a time, in order of arrival, and continues after failures", async () => {
  const enqueue = createCallQueue();
  const log: string[] = [];
  const call = (name: string) =>
    enqueue(async () => {
      log.push(`${name} begins`);
      await tick();
      log.push(`${name} ends`);
      if (name === "b") throw new Error("b failed");
      return name;
    });
  const settled = await Promise.allSettled(["a", "b", "c"].map(call));
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(log).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});
