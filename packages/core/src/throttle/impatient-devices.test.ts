import { createFakeClock } from "@device-gateway/testing";
import { err } from "neverthrow";
import { expect, test } from "vitest";
import type { Failure } from "../shared/failure.js";
import { createImpatientDevices } from "./impatient-devices.js";

const refused = err<never, Failure>({
  code: "too_many_requests",
  retryAfterSeconds: 10,
  bucket: { name: "metrics", perMinute: 60_000 },
});

function openDevice() {
  const clock = createFakeClock();
  const devices = createImpatientDevices(clock);
  const begin = () => devices.begin("gw-1")._unsafeUnwrap();
  const refuse = (number: number) => devices.note("gw-1", number, refused);
  return { clock, begin, refuse, isRefusedUnread: () => devices.begin("gw-1").isErr() };
}

test("§9 requests that begin before the refusal of others is known count once", () => {
  const { begin, refuse, isRefusedUnread } = openDevice();
  const together = Array.from({ length: 8 }, begin);
  for (const number of together) refuse(number);
  for (let n = 0; n < 3; n++) refuse(begin());
  expect(isRefusedUnread()).toBe(false);
  refuse(begin());
  expect(isRefusedUnread()).toBe(true);
});

test("§9 a device that always has two requests under way is refused unread too", () => {
  const { begin, refuse, isRefusedUnread } = openDevice();
  let [older, newer] = [begin(), begin()];
  for (let n = 0; n < 12 && !isRefusedUnread(); n++) {
    refuse(older);
    if (isRefusedUnread()) break;
    [older, newer] = [newer, begin()];
  }
  expect(isRefusedUnread()).toBe(true);
});

test("§9 after the time in Retry-After, the device begins anew", () => {
  const { clock, begin, refuse, isRefusedUnread } = openDevice();
  for (let n = 0; n < 5; n++) refuse(begin());
  expect(isRefusedUnread()).toBe(true);
  clock.advance(10_000);
  expect(isRefusedUnread()).toBe(false);
});
