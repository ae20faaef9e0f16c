import { expect, test } from "vitest";
import { onePerHardware } from "./hardware-formats.js";

test("one device of each hardware is asked how its metrics are shown, of the most frequent ones", () => {
  const device = (id: string, targetHardware: string) => ({ id, targetHardware });
  const fleet = [device("1", "a"), device("2", "b"), device("3", "b"), device("4", "c")];
  expect(onePerHardware(fleet, 2).map(({ id }) => id)).toEqual(["2", "1"]);
  expect(onePerHardware([], 2)).toEqual([]);
});
