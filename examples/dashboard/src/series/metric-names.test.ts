import { expect, test } from "vitest";
import { metricNames, metricUnit, metricValue } from "./metric-names.js";

const record = {
  timestamp: "2026-01-01T00:00:00.000Z",
  seq: 3,
  ota: { lastCheckAtMs: 1 },
  voltage: 12.5,
  name: "text",
  bms: { ok: true, "cell.1": 3.2 },
  cells: [{ v: 1 }, { v: 2 }],
};

test("§4 metrics are named by their path; reserved names are not metrics", () => {
  expect(metricNames(record)).toEqual([
    "voltage",
    "bms.ok",
    "bms.cell\\.1",
    "cells.0.v",
    "cells.1.v",
  ]);
});

test("§4 a metric's name finds its value; booleans are 0 and 1", () => {
  expect(metricNames(record).map((name) => metricValue(record, name))).toEqual([
    12.5, 1, 3.2, 1, 2,
  ]);
  expect(metricValue(record, "name")).toBeUndefined();
  expect(metricValue(record, "nothing.there")).toBeUndefined();
});

test("a unit belongs to the only number beside it", () => {
  expect(metricUnit({ temperature: 71, unit: "°F", timestamp: "x" }, "temperature")).toBe("°F");
  expect(metricUnit({ a: { v: 1, unit: "V" } }, "a.v")).toBe("V");
  expect(metricUnit({ temperature: 71, humidity: 50, unit: "°F" }, "humidity")).toBeUndefined();
  expect(metricUnit(record, "bms.ok")).toBeUndefined();
  expect(metricUnit({}, "a.b")).toBeUndefined();
});
