import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { expect } from "vitest";

/**
 * Expects an outcome or a `StoreUnavailableError` before a timer of two seconds. The timer runs on the event loop of the
 * call's own timers, so that a busy machine delays both.
 */
export async function settleSoon(call: Promise<unknown>): Promise<unknown> {
  let isLate = false;
  const expire = async () => {
    // A connection that the call has closed ends in the next turns.
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    isLate = true;
  };
  const timer = setTimeout(() => void expire(), 2_000);
  try {
    return await call;
  } catch (error) {
    expect(error).toBeInstanceOf(StoreUnavailableError);
    return "unavailable";
  } finally {
    clearTimeout(timer);
    expect(isLate, "the call took more than two seconds").toBe(false);
  }
}
