import { expect, test } from "vitest";
import { describeSeries } from "./describe-series.js";

test("a chart is described by its range, with the unit if it is known", () => {
  const series = { min: [1, null, -2], max: [3, null, 0.5] };
  expect(describeSeries("t", "°C", series)).toBe("t: 2 points, from -2 to 3 °C");
  expect(describeSeries("t", undefined, series)).toBe("t: 2 points, from -2 to 3");
  expect(describeSeries("t", "°C", { min: [null], max: [null] })).toBe(
    "t: no readings in this range",
  );
});
