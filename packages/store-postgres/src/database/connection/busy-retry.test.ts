import { StoreUnavailableError } from "@device-gateway/core/store";
import { expect, test } from "vitest";
import { retryWhileBusy } from "./busy-retry.js";
import { isDisconnected, isRolledBack } from "./store-errors.js";

/** Returns how often work that fails with `fault` is tried. */
async function countTries(fault: Error): Promise<number> {
  let tries = 0;
  const work = () => {
    tries += 1;
    return tries > 3 ? Promise.resolve() : Promise.reject(fault);
  };
  const mayRepeat = (error: unknown) => isRolledBack(error) || isDisconnected(error);
  const outcome = await retryWhileBusy(work, mayRepeat, performance.now() + 60_000).catch(
    (error: unknown) => error,
  );
  if (outcome !== undefined) expect(outcome).toBeInstanceOf(StoreUnavailableError);
  return tries;
}

test("a lost connection is tried again; a connection attempt that timed out is not", async () => {
  expect(await countTries(new Error("Connection terminated unexpectedly"))).toBe(4);
  expect(await countTries(new Error("Connection terminated due to connection timeout"))).toBe(1);
  expect(await countTries(new Error("timeout exceeded when trying to connect"))).toBe(1);
});

test("a query that Citus ends with an internal error, because a node was killed, is tried again", async () => {
  const essential = "failure on connection marked as essential: 127.0.0.1:5432";
  for (const message of ["postmaster was shut down, exiting", essential]) {
    const error = Object.assign(new Error(message), { code: "XX000" });
    expect(await countTries(error)).toBe(4);
  }
});
