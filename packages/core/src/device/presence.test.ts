import { sampleDevice, sampleOwnership } from "@device-gateway/testing";
import { afterEach, expect, test, vi } from "vitest";
import { silentLogger } from "../ports/logger.js";
import { createPresence } from "./presence.js";

const device = sampleDevice("a");
afterEach(() => void vi.useRealTimers());

test("a device is recorded as seen once a minute, and again after a write that failed", async () => {
  const written: number[] = [];
  let down = false;
  const presence = createPresence(
    {
      recordSeen: async ({ now }) => {
        if (down) throw new Error("down");
        written.push(now);
      },
    },
    silentLogger,
  );
  for (let now = 0; now < 180_000; now += 1_000) await presence.see(device, now, null);
  expect(written).toEqual([0, 60_000, 120_000]);
  down = true;
  await presence.see(device, 180_000, null);
  down = false;
  await presence.see(device, 180_001, null);
  presence.noteWritten(device.deviceId, 240_000);
  await presence.see(device, 250_000, null);
  expect(written.slice(3)).toEqual([180_001]);
});

test("§7 a device is recorded as seen again for a new owner, who may not see the earlier time", async () => {
  const written: number[] = [];
  const recordSeen = async ({ now }: { now: number }) => void written.push(now);
  const presence = createPresence({ recordSeen }, silentLogger);
  const ownership = { ownerId: "owner", claimedAt: 1_500, visibleFrom: 1_500 };
  const claimed = sampleDevice("a", { ...sampleOwnership(), ownership });
  await presence.see(device, 1_000, null);
  await presence.see(claimed, 1_499, null);
  for (let now = 1_500; now < 30_000; now += 500) await presence.see(claimed, now, null);
  expect(written).toEqual([1_000, 1_500]);
  presence.noteWritten("b", 1_500);
  await presence.see({ ...claimed, deviceId: "b" }, 2_000, null);
  expect(written).toEqual([1_000, 1_500]);
});

test("a response waits at most 250 ms for the write, and a late write counts", async () => {
  vi.useFakeTimers();
  let end = () => {};
  const writing = new Promise<void>((resolve) => {
    end = resolve;
  });
  const recordSeen = vi.fn(() => writing);
  const presence = createPresence({ recordSeen }, silentLogger);
  const seen = presence.see(device, 0, null);
  await vi.advanceTimersByTimeAsync(250);
  await seen;
  end();
  await presence.see(device, 1_000, null);
  expect(recordSeen).toHaveBeenCalledTimes(1);
});
