import type { Reading } from "./recording.js";

/** Sensor noise. It depends only on the time, so a restart continues it. */
const noise = (passedMs: number) => 0.3 * Math.sin(passedMs / 7_000) * Math.sin(passedMs / 1_700);

/**
 * Returns the machine's temperature at a time after the recording ended. It plays the recording backwards, then
 * forwards, and so on, at the recorded speed, so that live readings continue from the history.
 */
export function liveTemperature(recording: readonly Reading[], passedMs: number): number {
  const [first, last] = [recording[0], recording.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const span = Math.max(1, last.at - first.at);
  const turn = passedMs % (2 * span);
  const at = turn < span ? last.at - turn : first.at + turn - span;
  const after = recording.findIndex((reading) => reading.at >= at);
  const [left, right] = [recording[Math.max(0, after - 1)] ?? first, recording[after] ?? last];
  const share = right.at === left.at ? 0 : (at - left.at) / (right.at - left.at);
  const between = left.temperature + share * (right.temperature - left.temperature);
  return Number((between + noise(passedMs)).toFixed(2));
}
