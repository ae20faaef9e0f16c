import { expect, test } from "vitest";
import { findOutages } from "./find-outages.js";

const of = (times: readonly number[], gaps: readonly number[] = []) => {
  const values = times.map((time) => (gaps.includes(time) ? null : 1));
  return { times, avg: values, min: values, max: values };
};
const query = { expectedSeconds: 60, stepSeconds: 60, to: 1_000 };

test("§7 an outage is longer than five minutes, three intervals and two and a half points", () => {
  const series = [of([0, 60, 120, 500, 950])];
  const found = [
    { at: 120, until: 500 },
    { at: 500, until: 950 },
  ];
  expect(findOutages({ ...query, series })).toEqual(found);
  expect(findOutages({ ...query, series, expectedSeconds: 130 })).toEqual([found[1]]);
  expect(findOutages({ ...query, series, stepSeconds: 180 })).toEqual([]);
});

test("a gap of one metric is not an outage if another metric has readings, and neither is the time before the first reading", () => {
  const series = [of([400, 700]), of([400, 500, 700, 710], [500])];
  expect(findOutages({ ...query, series })).toEqual([]);
  expect(findOutages({ ...query, series, to: 1_100 })).toEqual([{ at: 710, until: 1_100 }]);
  expect(findOutages({ ...query, series: [] })).toEqual([]);
});

test("a device that fell silent before the chart begins has an outage that began with its latest record", () => {
  const series = [of([])];
  expect(findOutages({ ...query, series, latestAt: -5_000 })).toEqual([
    { at: -5_000, until: 1_000 },
  ]);
  expect(findOutages({ ...query, series, latestAt: 900 })).toEqual([]);
  // The chart is of a time in the past. The device may have been silent or new then.
  expect(findOutages({ ...query, series, latestAt: 2_000 })).toEqual([]);
  // A record that was measured earlier may have arrived last.
  expect(findOutages({ ...query, series: [of([500, 800])], latestAt: -5_000 })).toEqual([]);
});

test("a metric that the device sends every 15 minutes has no outages in between, also beside another one", () => {
  const quarters = Array.from({ length: 8 }, (_, n) => 900 * n);
  const series = [of(quarters), of(quarters.map((time) => time + 60))];
  const end = { ...query, to: 7_200 };
  expect(findOutages({ ...end, series })).toEqual([]);
  expect(findOutages({ ...end, series: series.slice(0, 1) })).toEqual([]);
  // It stops for four hours. A metric with one reading says nothing about its distance.
  const later = of([...quarters, 20_700]);
  expect(findOutages({ ...query, series: [later, of([900])], to: 21_000 })).toEqual([
    { at: 6_300, until: 20_700 },
  ]);
});
