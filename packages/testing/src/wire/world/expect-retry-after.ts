import { expect } from "vitest";

/** Expects a Retry-After of at least `seconds`, and longer by at most half of it: 1 to 60 seconds (§9). */
export function expectRetryAfter(headers: Headers, seconds: number): void {
  const wait = Number(headers.get("retry-after"));
  expect(wait).toBeGreaterThanOrEqual(seconds);
  expect(wait).toBeLessThanOrEqual(seconds + Math.min(60, Math.max(1, Math.ceil(seconds / 2))));
}
