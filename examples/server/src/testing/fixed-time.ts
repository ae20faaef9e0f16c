import { afterEach, beforeEach, vi } from "vitest";

/** Stops the clock of each test in a file. On a busy machine, codes of authenticator apps would expire. */
export function useFixedTime(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
}
