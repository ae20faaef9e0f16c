import { expect, test } from "vitest";
import { joinTables, seriesColumns, toCsv } from "./shown-table.js";

const flat = { times: [0, 60], avg: [1, 2.5], min: [1, 2.5], max: [1, 2.5] };
const banded = { times: [60, 90, 120], avg: [5, null, 6], min: [4, null, 6], max: [6, null, 6] };

test("a metric is one column, or three if it has a band", () => {
  expect(seriesColumns(flat).columns.map(({ title }) => title)).toEqual(["Value"]);
  expect(seriesColumns(banded).columns.map(({ title }) => title)).toEqual([
    ...["Average", "Lowest", "Highest"],
  ]);
});

test("the CSV of what is shown has each metric's points at their times, and its unit", () => {
  const table = joinTables([
    { metric: String.raw`=a\.b`, unit: undefined, series: flat },
    { metric: "t", unit: "°C", series: banded },
  ]);
  expect(toCsv(table).split("\r\n")).toEqual([
    `"time","'=a.b","t (°C) average","t (°C) lowest","t (°C) highest"`,
    "1970-01-01T00:00:00.000Z,1,,,",
    "1970-01-01T00:01:00.000Z,2.5,5,4,6",
    "1970-01-01T00:02:00.000Z,,6,6,6",
    "",
  ]);
});
