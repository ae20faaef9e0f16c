import { hourMs, type MetricBucket, readHour } from "@device-gateway/core/store";
import { expect, it } from "vitest";
import { openConnection } from "../../database/connection.js";
import { prepareShapeRows } from "../shapes/shape-rows.js";
import { prepareRollupRows } from "./rollup-rows.js";

/** The aggregates of an hour, whose names are too long for a shape: 280 KB of JSON text. */
const longBuckets = (hour: number): MetricBucket[] =>
  Array.from({ length: 1_000 }, (_, n) => ({
    start: hour,
    name: `m${n}`.padEnd(260, "x"),
    min: 1,
    max: 1,
    sum: 1,
    rest: 0,
    count: 1,
    first: 1,
    last: 1,
  }));

it("a page of large roll-ups has about a megabyte, and the next one begins where it ends", async () => {
  const { database, close } = await openConnection(":memory:");
  const rollups = prepareRollupRows(database, prepareShapeRows(database));
  // Every second hour has a roll-up.
  const hours = Array.from({ length: 10 }, (_, n) => 2 * n * hourMs);
  for (const hour of hours) rollups.write(1, hour, longBuckets(hour));
  const to = 500 * hourMs;
  const pages: number[][] = [];
  for (let from = 0; from < to; ) {
    const { rows, end } = rollups.read(1, from, to);
    expect(rows.every(({ hour }) => from <= hour && hour < end)).toBe(true);
    for (const { names, content, hour } of rows) {
      expect(readHour(names, content, hour, () => true).metrics).toBe(1_000);
    }
    pages.push(rows.map(({ hour }) => hour));
    from = end;
  }
  expect(pages.flat()).toEqual(hours);
  expect(pages.map(({ length }) => length)).toEqual([4, 4, 2]);
  await close();
});
