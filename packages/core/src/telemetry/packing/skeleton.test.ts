import { expect, it } from "vitest";
import { heapUsed, leastOfRounds } from "../../node/testing/heap-used.js";
import { skeletonOf } from "./skeleton.js";

it("remembers no name that is longer than a metric's may be", async () => {
  const grown = await leastOfRounds((round) => {
    const before = heapUsed();
    // Other names in each round: a name is remembered once.
    for (let n = 0; n < 400; n++) skeletonOf({ [`${round}-${n}${"x".repeat(100_000)}`]: "text" });
    return heapUsed() - before;
  });
  expect(grown / 2 ** 20).toBeLessThan(40);
});
