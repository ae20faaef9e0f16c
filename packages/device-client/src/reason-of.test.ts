import { expect, it } from "vitest";
import { reasonOf } from "./reason-of.js";

const refused = Object.assign(new AggregateError([new Error("::1"), new Error("127.0.0.1")]), {
  code: "ECONNREFUSED",
});

it.each([
  [new Error("no route"), "no route"],
  [
    new Error("fetch failed", { cause: new Error("other side closed") }),
    "fetch failed (other side closed)",
  ],
  [new Error("fetch failed", { cause: refused }), "fetch failed (ECONNREFUSED)"],
  [refused, "ECONNREFUSED"],
  ["a string", "a string"],
])("returns the reason of %s", (fault, reason) => {
  expect(reasonOf(fault)).toBe(reason);
});
