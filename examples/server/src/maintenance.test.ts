import { type Gateway, silentLogger } from "@device-gateway/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startMaintenance } from "./maintenance.js";

const tenMinutes = 600_000;
const nothing = {
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

/** A gateway whose rounds end when the test says so. */
function slowGateway() {
  const ends: (() => void)[] = [];
  const maintain = vi.fn<Gateway["maintain"]>(
    () => new Promise((resolve) => ends.push(() => resolve(nothing))),
  );
  return { maintain, ends };
}

describe("maintenance", () => {
  it("runs at the start and every 10 minutes, until it is stopped", async () => {
    const maintain = vi.fn<Gateway["maintain"]>(async () => nothing);
    const { stop } = startMaintenance({ maintain }, silentLogger);
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

  it("never runs twice at a time", async () => {
    const { maintain, ends } = slowGateway();
    startMaintenance({ maintain }, silentLogger);
    await vi.advanceTimersByTimeAsync(3 * tenMinutes);
    expect(maintain).toHaveBeenCalledTimes(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(tenMinutes);
    expect(maintain).toHaveBeenCalledTimes(2);
  });

  it("is waited for when the server stops", async () => {
    const { maintain, ends } = slowGateway();
    let stopped = false;
    const stopping = startMaintenance({ maintain }, silentLogger)
      .stop()
      .then(() => {
        stopped = true;
      });
    await vi.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(false);
    ends[0]?.();
    await stopping;
  });

  it("logs what it dropped and what went wrong, and goes on", async () => {
    const fault = new Error("disk full");
    const info = vi.fn();
    const error = vi.fn();
    const maintain = vi
      .fn<Gateway["maintain"]>()
      .mockRejectedValueOnce(fault)
      .mockResolvedValueOnce({ ...nothing, droppedRegistrations: 3 });
    startMaintenance({ maintain }, { ...silentLogger, info, error });
    await vi.advanceTimersByTimeAsync(tenMinutes);
    expect(error).toHaveBeenCalledExactlyOnceWith({ err: fault }, expect.any(String));
    expect(info).toHaveBeenCalledExactlyOnceWith(
      { ...nothing, droppedRegistrations: 3 },
      expect.any(String),
    );
  });
});
