import type { Reading } from "./recording.js";

/** A sensor is never quite still. It follows from the time, as all here: a restart goes on with it. */
const flicker = (passedMs: number) => 0.3 * Math.sin(passedMs / 7_000) * Math.sin(passedMs / 1_700);

/**
 * The machine's temperature so long after its recording ended: the recording backwards from there,
 * forwards again, and so on, as slowly as it was recorded. So it goes on where the history ends.
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
  return Number((between + flicker(passedMs)).toFixed(2));
}
