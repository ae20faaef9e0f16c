import { expect, it } from "vitest";
import { parseRecording, readRecording } from "./recording.js";

it("reads times without a zone as UTC", () => {
  expect(parseRecording("timestamp,value\r\n2013-12-02 21:15:00,73.9\r\n")).toEqual([
    { at: Date.UTC(2013, 11, 2, 21, 15), temperature: 73.9 },
  ]);
});

it("finds the whole recording of 79 days", async () => {
  const recording = await readRecording();
  expect(recording).toHaveLength(22_695);
  expect(recording.every(({ at, temperature }) => at > 0 && Number.isFinite(temperature))).toBe(
    true,
  );
  const days = ((recording.at(-1)?.at ?? 0) - (recording[0]?.at ?? 0)) / 86_400_000;
  expect(Math.round(days)).toBe(79);
});
