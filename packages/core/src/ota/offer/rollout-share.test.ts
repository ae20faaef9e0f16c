import fc from "fast-check";
import { expect, test } from "vitest";
import { isInRollout, rolloutPlace } from "./rollout-share.js";

const deviceId = fc.string({ minLength: 1, maxLength: 20 });
const percent = fc.integer({ min: 0, max: 100 });

test("§6 raising the share never withdraws an offer", () => {
  fc.assert(
    fc.property(deviceId, fc.nat(), percent, percent, (device, release, a, b) => {
      const [lower, higher] = [Math.min(a, b), Math.max(a, b)];
      if (isInRollout(device, release, lower)) {
        expect(isInRollout(device, release, higher)).toBe(true);
      }
    }),
  );
});

test("§6 a share of 0 includes no device, and a share of 100 every device", () => {
  fc.assert(
    fc.property(deviceId, fc.nat(), (device, release) => {
      expect(isInRollout(device, release, 0)).toBe(false);
      expect(isInRollout(device, release, 100)).toBe(true);
    }),
  );
});

test("§6 devices are spread evenly, and differently for each release", () => {
  const devices = Array.from({ length: 10_000 }, (_, n) => `gw-${n}`);
  const inFirst = devices.filter((device) => isInRollout(device, 1, 10));
  expect(Math.abs(inFirst.length - 1_000)).toBeLessThan(150);
  const inBoth = inFirst.filter((device) => isInRollout(device, 2, 10));
  expect(Math.abs(inBoth.length - 100)).toBeLessThan(50);
});

test("§6 a device's place in a rollout is the same in every version of the gateway", () => {
  expect(rolloutPlace("gw-1", 1)).toMatchInlineSnapshot(`10.881527117453516`);
});
