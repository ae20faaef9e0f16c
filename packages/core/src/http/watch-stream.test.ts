import { expect, test } from "vitest";
import { cancelStream } from "./watch-stream.js";

const fault = new Error("The storage is gone.");
const failLater = () => Promise.reject(fault);
const failAtOnce = () => {
  throw fault;
};

test.each([
  ["later", failLater],
  ["at once", failAtOnce],
])("a stream whose end fails %s does not fail its unread response", async (_, leave) => {
  const next = async () => ({ done: true as const, value: undefined });
  const stream = { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
  await expect(cancelStream(stream)).resolves.toBeUndefined();
});
