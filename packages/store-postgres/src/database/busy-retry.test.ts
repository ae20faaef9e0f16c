import { StoreUnavailableError } from "@device-gateway/core/store";
import { expect, test } from "vitest";
import { isRolledBack, isSevered, retryWhileBusy, toStoreError } from "./busy-retry.js";

/** How often work that fails in this way is tried. */
async function triesOf(fault: Error): Promise<number> {
  let tries = 0;
  const work = () => {
    tries += 1;
    return tries > 3 ? Promise.resolve() : Promise.reject(fault);
  };
  const mayRepeat = (error: unknown) => isRolledBack(error) || isSevered(error);
  const outcome = await retryWhileBusy(work, mayRepeat, performance.now() + 60_000).catch(
    (error: unknown) => error,
  );
  if (outcome !== undefined) expect(outcome).toBeInstanceOf(StoreUnavailableError);
  return tries;
}

test("a connection that ended is tried again; one that took all its time to be made is not", async () => {
  expect(await triesOf(new Error("Connection terminated unexpectedly"))).toBe(4);
  expect(await triesOf(new Error("Connection terminated due to connection timeout"))).toBe(1);
  expect(await triesOf(new Error("timeout exceeded when trying to connect"))).toBe(1);
});

test("what can't be reached is told of by every address that was tried", () => {
  const tried = ["connect ECONNREFUSED ::1:1", "connect ECONNREFUSED 127.0.0.1:1"];
  const error = Object.assign(new AggregateError(tried.map((each) => new Error(each))), {
    code: "ECONNREFUSED",
  });
  expect(toStoreError(error)).toEqual(
    new StoreUnavailableError(
      `The database can't be used now: ${tried.join(", ")} (ECONNREFUSED).`,
    ),
  );
});
