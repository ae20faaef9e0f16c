import { expect, test } from "vitest";
import { toSeries, withReadings } from "./to-series.js";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

test("§7 buckets become a line with a band; an absent bucket is a gap, not a zero", () => {
  const bucket = (start: number, avg: number) => ({
    timestamp: at(start),
    t: { avg, min: avg - 1, max: avg + 1 },
  });
  const points = [bucket(0, 5), bucket(60, 6), bucket(300, 7)];
  expect(toSeries({ interval: "1m", points }, "t", 60)).toEqual({
    times: [0, 60, 120, 300],
    avg: [5, 6, null, 7],
    min: [4, 5, null, 6],
    max: [6, 7, null, 8],
  });
});

test("a gap in raw samples is measured by the reporting interval or the median step, whichever is longer", () => {
  const points = [0, 300, 600, 2_000].map((time) => ({ timestamp: at(time), t: 1 }));
  const { times, avg } = toSeries({ interval: "raw", points }, "t", 10);
  expect(times).toEqual([0, 300, 600, 900, 2_000]);
  expect(avg).toEqual([1, 1, 1, null, 1]);
});

test("a metric that is not in every record is one line, in raw samples and in buckets", () => {
  const quarters = [0, 900, 1_800, 2_700, 9_000];
  const points = quarters.map((time) => ({ timestamp: at(time), t: 1 }));
  const buckets = quarters.map((time) => ({ timestamp: at(time), t: { avg: 1, min: 1, max: 1 } }));
  const line = [1, 1, 1, 1, null, 1];
  expect(toSeries({ interval: "raw", points }, "t", 60).avg).toEqual(line);
  expect(toSeries({ interval: "1m", points: buckets }, "t", 60).avg).toEqual(line);
  const two = {
    interval: "raw",
    points: [points[0], points[1], points[4]].flatMap((p) => p ?? []),
  };
  expect(toSeries(two, "t", 60).avg).toEqual([1, 1, null, 1]);
});

test("points without the metric are left out", () => {
  const points = [
    { timestamp: at(0), t: 1 },
    { timestamp: at(10), u: 2 },
    { timestamp: at(20), t: 3 },
  ];
  expect(toSeries({ interval: "raw", points }, "t", 10).avg).toEqual([1, 3]);
  expect(toSeries({ interval: "raw", points: [] }, "t", 10).times).toEqual([]);
});

test("live readings are appended; a reading that is not later than the last one is left out", () => {
  const series = toSeries({ interval: "raw", points: [{ timestamp: at(0), t: 1 }] }, "t", 10);
  const readings = [
    { at: 0, value: 2 },
    { at: 10, value: 2 },
    { at: 5, value: 9 },
    { at: 20, value: 3 },
  ];
  expect(withReadings(series, readings)).toMatchObject({ times: [0, 10, 20], max: [1, 2, 3] });
  expect(withReadings(series, readings.slice(0, 1))).toBe(series);
});
