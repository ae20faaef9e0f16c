import { expect, test } from "vitest";
import { describeSeries } from "./describe-series.js";

test("a chart is described by its range, with the unit if it is known", () => {
  const series = { min: [1, null, -2], max: [3, null, 0.5] };
  expect(describeSeries({ name: "t", unit: "°C", decimals: 1 }, series)).toBe(
    "t: 2 points, from -2.0 to 3.0 °C",
  );
  expect(describeSeries({ name: "t" }, series)).toBe("t: 2 points, from -2 to 3");
  expect(describeSeries({ name: "t", unit: "°C" }, { min: [null], max: [null] })).toBe(
    "t: no readings in this range",
  );
});
