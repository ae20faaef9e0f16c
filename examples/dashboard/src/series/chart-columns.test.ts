import { expect, test } from "vitest";
import { combine, toColumns } from "./chart-columns.js";

const series = (times: number[], avg: (number | null)[], spread = 0) => ({
  ...{ times, avg },
  min: avg.map((value) => value && value - spread),
  max: avg.map((value) => value && value + spread),
});

test("metrics in one chart share their times, and the band spans the lowest and the highest of all", () => {
  const all = [series([0, 10, 20], [5, null, 7], 1), series([10, 20, 30], [2, 3, 4])];
  expect(combine(all)).toEqual({
    times: [0, 10, 20, 30],
    lines: [
      [5, null, 7, undefined],
      [undefined, 2, 3, 4],
    ],
    // A line keeps its value until its next point or gap.
    values: [
      [5, null, 7, 7],
      [null, 2, 3, 4],
    ],
    min: [4, 2, 3, 4],
    max: [6, 2, 8, 8],
  });
  expect(combine([])).toEqual({ times: [], lines: [], values: [], min: [], max: [] });
});

test("one metric is a line of averages in its band", () => {
  const one = series([0, 10], [1, 2], 1);
  expect(toColumns(one)).toEqual({ times: [0, 10], lines: [[1, 2]], min: [0, 1], max: [2, 3] });
});
