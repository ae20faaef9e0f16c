import { expect, test } from "vitest";
import { createTimeFormatter } from "./time-formatter.js";

const minute = 60;
const hour = 3600;
const day = 24 * hour;
const german = createTimeFormatter("de", "Europe/Berlin");
const british = createTimeFormatter("en-GB", "Asia/Kolkata");
const at = (text: string) => Date.parse(text) / 1000;
const from = (start: string, step: number, many: number) =>
  Array.from({ length: many }, (_, i) => at(start) + i * step);

test("hours follow the viewer's clock; the date stands below the first time of each day", () => {
  const times = from("2026-11-21T21:00:00Z", 2 * hour, 3);
  expect(german(times, 2 * hour)).toEqual(["22:00\n21.11.2026", "00:00\n22.11.2026", "02:00"]);
  expect(british(times, 2 * hour)).toEqual(["02:30\n22 Nov 2026", "04:30", "06:30"]);
});

test("seconds are shown if the steps are shorter than a minute", () => {
  const times = from("2026-11-21T21:00:00Z", 10, 2);
  expect(german(times, 10)).toEqual(["22:00:00\n21.11.2026", "22:00:10"]);
  expect(german(times.slice(0, 1), minute)).toEqual(["22:00\n21.11.2026"]);
});

test("days and months have their year below; years stand alone", () => {
  const days = from("2026-12-30T23:00:00Z", day, 2);
  expect(german(days, day)).toEqual(["31. Dez.\n2026", "1. Jan.\n2027"]);
  expect(british(days.slice(1), 7 * day)).toEqual(["1 Jan\n2027"]);
  expect(british([at("2026-05-01T00:00:00Z")], 30 * day)).toEqual(["May\n2026"]);
  expect(british([at("2026-05-01T00:00:00Z")], 365 * day)).toEqual(["2026"]);
});
