import { expect, test } from "vitest";
import { wasSeenRecently } from "./was-seen-recently.js";

const minute = 60_000;

test("§7 a device is online for five minutes, or three of its intervals if that is longer", () => {
  const [often, seldom] = [{ expectedIntervalSeconds: 10 }, { expectedIntervalSeconds: 600 }];
  const now = Date.UTC(2026, 10, 21);
  expect(wasSeenRecently(often, now - 5 * minute, now)).toBe(true);
  expect(wasSeenRecently(often, now - 5 * minute - 1, now)).toBe(false);
  expect(wasSeenRecently(seldom, now - 30 * minute, now)).toBe(true);
  expect(wasSeenRecently(seldom, now - 30 * minute - 1, now)).toBe(false);
});
