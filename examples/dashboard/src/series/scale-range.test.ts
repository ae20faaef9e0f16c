import { expect, test } from "vitest";
import { scaleRange } from "./scale-range.js";

test("an axis ends at the expected values, or where values lie outside", () => {
  const soc = { min: 0, max: 100 };
  expect(scaleRange(71, 73, soc)).toEqual([0, 100]);
  expect(scaleRange(71, 110, soc)[0]).toBe(0);
  expect(scaleRange(71, 110, soc)[1]).toBeGreaterThan(110);
  expect(scaleRange(-5, 50, soc)[0]).toBeLessThan(-5);
  expect(scaleRange(null, null, soc), "without values").toEqual([0, 100]);
  expect(scaleRange(null, null, {})).toEqual([null, null]);
  expect(scaleRange(null, null, { min: 5 })[0]).toBe(5);
});

test("an axis of equal values has room above and below, and does not cross zero", () => {
  for (const value of [71, -3, 1e-6, 1e300, 0]) {
    const [from, to] = scaleRange(value, value, {}) as [number, number];
    expect(to).toBeGreaterThan(from);
    expect(from <= value && value <= to).toBe(true);
    expect(from * to).toBeGreaterThanOrEqual(0);
  }
});
