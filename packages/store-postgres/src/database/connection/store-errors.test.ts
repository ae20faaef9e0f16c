import { StoreUnavailableError } from "@device-gateway/core/store";
import { expect, test } from "vitest";
import { toStoreError } from "./store-errors.js";

test("the error of an unreachable host names every address that was tried", () => {
  const tried = ["connect ECONNREFUSED ::1:1", "connect ECONNREFUSED 127.0.0.1:1"];
  const error = Object.assign(new AggregateError(tried.map((each) => new Error(each))), {
    code: "ECONNREFUSED",
  });
  expect(toStoreError(error)).toEqual(
    new StoreUnavailableError(`The database is unavailable: ${tried.join(", ")} (ECONNREFUSED).`),
  );
});
