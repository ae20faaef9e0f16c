import { expect, it } from "vitest";
import { createWaitingLine } from "./waiting-line.js";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

it("begins at once when nobody waits", () => {
  let begun = false;
  void createWaitingLine()(async () => {
    begun = true;
  });
  expect(begun).toBe(true);
});

it("runs one call at a time, in the order of arrival, past failures", async () => {
  const inLine = createWaitingLine();
  const log: string[] = [];
  const call = (name: string) =>
    inLine(async () => {
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
