import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Gateway } from "../gateway.js";
import { silentLogger } from "../ports/logger.js";
import { startMaintenance } from "./start-maintenance.js";

const tenMinutes = 600_000;
const nothingDeleted = {
  droppedRegistrations: 0,
  rolledUpHours: 0,
  droppedRecords: 0,
  timedOutUpdates: 0,
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Creates a gateway whose maintenance rounds end when the test calls `ends`. */
function slowGateway() {
  const ends: (() => void)[] = [];
  const maintain = vi.fn<Gateway["maintain"]>(
    () => new Promise((resolve) => ends.push(() => resolve(nothingDeleted))),
  );
  return { maintain, ends };
}

describe("maintenance", () => {
  it("runs at the start and every 10 minutes until it is stopped", async () => {
    const maintain = vi.fn<Gateway["maintain"]>(async () => nothingDeleted);
    const { stop } = startMaintenance({ maintain });
    expect(maintain).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(tenMinutes - 1);
    expect(maintain).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1 + 2 * tenMinutes);
    expect(maintain).toHaveBeenCalledTimes(4);
    await stop();
    await vi.advanceTimersByTimeAsync(3 * tenMinutes);
    expect(maintain).toHaveBeenCalledTimes(4);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("never runs two rounds at the same time", async () => {
    const { maintain, ends } = slowGateway();
    startMaintenance({ maintain });
    await vi.advanceTimersByTimeAsync(3 * tenMinutes);
    expect(maintain).toHaveBeenCalledTimes(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(tenMinutes);
    expect(maintain).toHaveBeenCalledTimes(2);
  });

  it("waits for the current round when it is stopped", async () => {
    const { maintain, ends } = slowGateway();
    let stopped = false;
    const stopping = startMaintenance({ maintain })
      .stop()
      .then(() => {
        stopped = true;
      });
    await vi.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(false);
    ends[0]?.();
    await stopping;
  });

  it("logs what a round deleted and why a round failed, and continues", async () => {
    const fault = new Error("disk full");
    const info = vi.fn();
    const error = vi.fn();
    const maintain = vi
      .fn<Gateway["maintain"]>()
      .mockRejectedValueOnce(fault)
      .mockResolvedValueOnce({ ...nothingDeleted, droppedRegistrations: 3 });
    startMaintenance({ maintain }, { logger: { ...silentLogger, info, error } });
    await vi.advanceTimersByTimeAsync(tenMinutes);
    expect(error).toHaveBeenCalledExactlyOnceWith({ err: fault }, expect.any(String));
    expect(info).toHaveBeenCalledExactlyOnceWith(
      { ...nothingDeleted, droppedRegistrations: 3 },
      expect.any(String),
    );
  });
});
