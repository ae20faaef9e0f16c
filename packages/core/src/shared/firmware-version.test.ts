import fc from "fast-check";
import { expect, test } from "vitest";
import { compareFirmwareVersions, mustSendClaimCode } from "./firmware-version.js";

const part = fc.nat({ max: 999_999_999 });
const version = fc.tuple(part, part, part);
const written = (parts: readonly number[]) => parts.join(".");

test("§1 versions compare as numbers, part by part", () => {
  expect(compareFirmwareVersions("0.1.10", "0.1.4")).toBeGreaterThan(0);
  fc.assert(
    fc.property(version, version, (a, b) => {
      const index = [0, 1, 2].find((i) => a[i] !== b[i]);
      const expected = index === undefined ? 0 : Math.sign((a[index] ?? 0) - (b[index] ?? 0));
      expect(Math.sign(compareFirmwareVersions(written(a), written(b)))).toBe(expected);
    }),
  );
});

test("§10 a claim code is required from firmware 0.1.4 on", () => {
  const expected = {
    "0.1.3": false,
    "0.0.99": false,
    "0.1.4": true,
    "0.1.10": true,
    "1.0.0": true,
  };
  for (const [firmware, must] of Object.entries(expected)) {
    expect([firmware, mustSendClaimCode(firmware)]).toEqual([firmware, must]);
  }
});
