import { expect, it } from "vitest";
import { heapUsed } from "../../node/testing/heap-used.js";
import { skeletonOf } from "./skeleton.js";

it("remembers no name that is longer than a metric's may be", () => {
  const before = heapUsed();
  for (let n = 0; n < 400; n++) skeletonOf({ [`${n}${"x".repeat(100_000)}`]: "text" });
  expect((heapUsed() - before) / 2 ** 20).toBeLessThan(40);
});
