import { expect, test } from "vitest";
import { cellOf } from "./cell-of.js";

test("§1 a device stays in its cell in every version", () => {
  const ids = ["gw-1", "gw-2", "GW-1", "größe", ""];
  expect(ids.map((id) => cellOf(id, 8))).toEqual([7, 7, 3, 4, 3]);
});

test("§1 devices spread evenly over any number of cells", () => {
  for (const count of [1, 2, 3, 8]) {
    const sizes = Array.from({ length: count }, () => 0);
    for (let n = 0; n < 16_000; n++) {
      const cell = cellOf(`gw-${String(n).padStart(8, "0")}`, count);
      sizes[cell] = (sizes[cell] ?? 0) + 1;
    }
    const fair = 16_000 / count;
    for (const size of sizes) expect(Math.abs(size - fair) / fair).toBeLessThan(0.2);
  }
});
