import fc from "fast-check";
import { expect, test } from "vitest";
import { systemRandom } from "../ports/random.js";
import { spreadSeconds } from "./spread-seconds.js";

test("§0 Retry-After is never shorter than needed, at most half or one second longer, and differs between clients", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (seconds) => {
      const waits = Array.from({ length: 200 }, () => spreadSeconds(systemRandom, seconds));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(seconds);
      const most = Math.min(60, Math.max(1, Math.ceil(seconds / 2)));
      expect(Math.max(...waits)).toBeLessThanOrEqual(seconds + most);
      expect(new Set(waits).size).toBeGreaterThan(1);
    }),
    { numRuns: 50 },
  );
});
