import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { skeletonOf } from "./skeleton.js";

it("keeps nothing of names that are longer than a metric's may be", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const mebibytes = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const before = mebibytes();
  for (let n = 0; n < 400; n++) skeletonOf({ [`${n}${"x".repeat(100_000)}`]: "text" });
  expect(mebibytes() - before).toBeLessThan(40);
});
