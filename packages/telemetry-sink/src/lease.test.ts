import { createMemoryStore } from "@device-gateway/store-memory";
import { sampleTime } from "@device-gateway/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { createLease, LeaseLostError } from "./lease.js";

test("a lease is renewed, or found lost, after the clock was set back", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: sampleTime });
  onTestFinished(() => void vi.useRealTimers());
  const store = createMemoryStore();
  const settings = { name: "influx", timeoutMs: 10_000 };
  const first = createLease(store, settings);
  const second = createLease(store, settings);
  vi.setSystemTime(sampleTime + 86_400_000);
  expect(await first.take()).toBe("");
  expect(await second.take()).toBeNull();
  vi.setSystemTime(sampleTime);
  expect(await second.take()).toBe("");
  await expect(first.keep("")).rejects.toThrow(LeaseLostError);
  await second.keep("");
});
