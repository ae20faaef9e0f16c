import { expect, test } from "vitest";
import { cancelStream } from "./watch-stream.js";

test("a stream that fails to end does not fail the response that does not need it", async () => {
  const next = async () => ({ done: true as const, value: undefined });
  const leave = () => Promise.reject(new Error("The storage is gone."));
  const stream = { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
  await expect(cancelStream(stream)).resolves.toBeUndefined();
});
