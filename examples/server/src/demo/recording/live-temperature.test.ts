import { expect, test } from "vitest";
import { liveTemperature } from "./live-temperature.js";
import { readRecording } from "./recording.js";

test("live temperatures continue from the end of the recording without a jump, however long the demo runs", async () => {
  const recording = await readRecording();
  const last = recording.at(-1)?.temperature ?? 0;
  expect(Math.abs(liveTemperature(recording, 0) - last)).toBeLessThan(0.5);
  const spanMs = (recording.at(-1)?.at ?? 0) - (recording[0]?.at ?? 0);
  const hourMs = 3_600_000;
  // Includes the points where the recording reverses.
  for (const start of [0, spanMs - hourMs, 2 * spanMs - hourMs]) {
    let before = liveTemperature(recording, start);
    for (let passed = 10_000; passed < 2 * hourMs; passed += 10_000) {
      const now = liveTemperature(recording, start + passed);
      expect(Math.abs(now - before), `after ${start + passed} ms`).toBeLessThan(2);
      before = now;
    }
  }
});

test("a recording of one reading, or of none, gives a temperature too", () => {
  expect(liveTemperature([{ at: 5, temperature: 70 }], 12_345)).toBeCloseTo(70, 0);
  expect(liveTemperature([], 1)).toBe(0);
});
