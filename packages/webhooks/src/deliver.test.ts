import { expect, test } from "vitest";
import { deliver } from "./deliver.js";
import { toTestMessage } from "./message.js";

test("a round that cannot be recorded ends only when no message is being sent any more", async () => {
  let arrive = () => {};
  const slow = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const queues = ["slow", "broken"].map((name) => ({
    deliveries: [toTestMessage(name, 0)],
    stored: 0,
  }));
  let hasEnded = false;
  const round = deliver(queues, {
    ...{ now: () => 0, random: () => 1, maxFailures: 8, isEnding: () => false },
    signal: new AbortController().signal,
    async mayGet({ queue }) {
      if (queue === "test_broken") throw new Error("planted");
      return true;
    },
    async send({ messageId }) {
      await slow;
      return { messageId, at: 0, durationMs: 0, status: 204, error: null, response: "" };
    },
  }).finally(() => {
    hasEnded = true;
  });
  const outcome = expect(round).rejects.toThrow("planted");
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);
  arrive();
  await outcome;
});
