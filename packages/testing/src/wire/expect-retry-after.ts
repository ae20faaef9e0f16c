import { expect } from "vitest";

/** Expects a Retry-After that is not shorter than `seconds`, and at most half or one second longer (§9). */
export function expectRetryAfter(headers: Headers, seconds: number): void {
  const wait = Number(headers.get("retry-after"));
  expect(wait).toBeGreaterThanOrEqual(seconds);
  expect(wait).toBeLessThanOrEqual(seconds + Math.min(60, Math.max(1, Math.ceil(seconds / 2))));
}
