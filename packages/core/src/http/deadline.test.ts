import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { generateSecrets } from "../auth/secrets.js";
import { createGateway } from "../gateway.js";
import { createMemoryStore } from "../testing/memory-store.js";
import { toFetchHandler } from "./fetch-handler.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("§9 an answer that takes longer than 10 s is 503, and leaves no timer behind", async () => {
  const store = createMemoryStore();
  store.ping = () => new Promise(() => {});
  const handler = toFetchHandler(await createGateway({ store, secrets: generateSecrets() }));
  const pending = handler(new Request("http://gateway.test/readyz"));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  const response = await pending;
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(vi.getTimerCount()).toBe(0);
});
