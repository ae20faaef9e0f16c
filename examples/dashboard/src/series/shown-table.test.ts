import { expect, test } from "vitest";
import { joinTables, seriesColumns, toCsv } from "./shown-table.js";

const flat = { times: [0, 60], avg: [1, 2.5], min: [1, 2.5], max: [1, 2.5] };
const banded = { times: [60, 90, 120], avg: [5, null, 6], min: [4, null, 6], max: [6, null, 6] };

const format = { name: "Temperature", unit: "°C", decimals: 1 };

test("a metric is one column, or three if it has a band", () => {
  expect(
    seriesColumns({ metric: "t", format, series: flat }).columns.map(({ title }) => title),
  ).toEqual(["Value"]);
  expect(
    seriesColumns({ metric: "t", format, series: banded }).columns.map(({ title }) => title),
  ).toEqual([...["Average", "Lowest", "Highest"]]);
});

test("the CSV of what is shown has the names and units of metrics, the table on the page their display names", () => {
  const table = joinTables([
    { metric: String.raw`=a\.b`, format: { name: "=a.b" }, series: flat },
    { metric: "t", format, series: banded },
  ]);
  expect(toCsv(table).split("\r\n")).toEqual([
    String.raw`"time","'=a\.b","t avg [°C]","t min [°C]","t max [°C]"`,
    "1970-01-01T00:00:00.000Z,1,,,",
    "1970-01-01T00:01:00.000Z,2.5,5,4,6",
    "1970-01-01T00:02:00.000Z,,6,6,6",
    "",
  ]);
  expect(table.columns.map(({ title }) => title)).toEqual([
    "=a.b",
    "Temperature (°C) average",
    "Temperature (°C) lowest",
    "Temperature (°C) highest",
  ]);
});
