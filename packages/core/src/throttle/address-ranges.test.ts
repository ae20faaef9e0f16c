import { expect, test } from "vitest";
import { createAddressRanges } from "./address-ranges.js";

test("§9 an address range contains its addresses in every spelling, and no others", () => {
  const isIn = createAddressRanges("x", ["198.51.100.0/24", "2001:db8:1::/48", "203.0.113.7"]);
  for (const inside of [
    ...["198.51.100.0", "198.51.100.255:51234", "::ffff:198.51.100.9", "203.0.113.7"],
    ...["2001:db8:1:2::3", "[2001:DB8:1::1]:443"],
  ]) {
    expect(isIn(inside), inside).toBe(true);
  }
  for (const outside of ["198.51.101.0", "2001:db8:2::1", "203.0.113.8", "unknown", "", null]) {
    expect(isIn(outside), String(outside)).toBe(false);
  }
  expect(createAddressRanges("x", [])("203.0.113.7")).toBe(false);
});

test("a text that is not a range, and a range that contains every address, are refused", () => {
  for (const wrong of [
    "",
    "198.51.100.0/33",
    "0.0.0.0/0",
    "::/0",
    "198.51/16",
    "a/8",
    "1.2.3.4:80/24",
  ]) {
    expect(() => createAddressRanges("productionAddresses", [wrong]), wrong).toThrow(TypeError);
  }
});
