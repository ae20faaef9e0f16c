import { expect, test } from "vitest";
import { checkCount } from "./contender.js";

const files = { path: "/", devices: "", bodies: "", recordsPerRequest: 1 };
const strict = { name: "gateway", files, mayBreakOff: 1 };
const overloaded = { ...strict, mayRefuse: true };

test("a missing or an extra record ends the run", () => {
  expect(checkCount(strict, { answered: { 200: 500 } }, 500)).toMatch(/500 rows, as many as/);
  expect(() => checkCount(strict, { answered: { 200: 500 } }, 499)).toThrow(/499 rows, 500 ack/);
  expect(() => checkCount(strict, { answered: { 200: 500 } }, 501)).toThrow(/501 rows, 500 ack/);
});

test("at overload one percent may be refused, stored or not", () => {
  const answered = { 200: 500, 503: 5 };
  expect(checkCount(overloaded, { answered }, 500)).toMatch(/5 requests refused with 503/);
  expect(checkCount(overloaded, { answered }, 505)).toMatch(/505 rows, 500 acknowledged/);
  expect(() => checkCount(overloaded, { answered }, 499)).toThrow(/499 rows/);
  expect(() => checkCount(overloaded, { answered }, 506)).toThrow(/506 rows/);
  expect(() => checkCount(overloaded, { answered: { 200: 500, 503: 6 } }, 500)).toThrow(/"503":6/);
  expect(() => checkCount(strict, { answered }, 500)).toThrow(/"503":5/);
});

test("at most one body per connection may be cut off, and no other status is accepted", () => {
  expect(checkCount(strict, { answered: { 200: 9, 400: 1 } }, 9)).toMatch(/1 bodies were cut off/);
  expect(() => checkCount(strict, { answered: { 200: 9, 400: 2 } }, 9)).toThrow(/"400":2/);
  expect(() => checkCount(strict, { answered: { 200: 9, 500: 1 } }, 9)).toThrow(/"500":1/);
});
