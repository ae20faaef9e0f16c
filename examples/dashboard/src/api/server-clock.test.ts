import { beforeEach, expect, test, vi } from "vitest";
import { clockOffset, compareClocks, serverNow } from "./server-clock.js";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 1, 12);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  clockOffset.value = 0;
  return () => {
    vi.useRealTimers();
    clockOffset.value = 0;
  };
});

/** Receives a response after `tookMs`, from a server whose clock is `aheadMs` ahead. */
const receive = (aheadMs: number, tookMs = 0) => {
  const sentAt = Date.now();
  vi.setSystemTime(sentAt + tookMs);
  compareClocks(new Headers({ date: new Date(Date.now() + aheadMs).toUTCString() }), sentAt);
};
/** How far `serverNow` is from the server's time. */
const errorMs = (aheadMs: number) => Math.abs(serverNow() - (Date.now() + aheadMs));

test("a browser's clock that is an hour wrong is corrected, in both directions, and again when the user sets it", () => {
  for (const aheadMs of [hourMs, -hourMs, 0]) {
    receive(aheadMs);
    expect(errorMs(aheadMs)).toBeLessThanOrEqual(1_000);
  }
  expect(clockOffset.value).toBe(0);
});

test("the whole seconds of the header, a slow response and a response without the header change nothing", () => {
  vi.setSystemTime(start + 999);
  receive(0);
  receive(-3_000);
  receive(0, 20_000);
  compareClocks(new Headers(), Date.now());
  expect(clockOffset.value).toBe(0);
  receive(hourMs);
  const known = clockOffset.value;
  receive(hourMs, 20_000);
  receive(hourMs + 500);
  expect(clockOffset.value).toBe(known);
});
