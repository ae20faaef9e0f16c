import { medianStep, type Series } from "./to-series.js";

/** A time without readings, in epoch seconds. */
export interface Outage {
  readonly at: number;
  readonly until: number;
}

interface OutageQuery {
  readonly series: readonly Series[];
  /** The device's telemetry interval in seconds. */
  readonly expectedSeconds: number;
  /** The distance of the points in seconds. */
  readonly stepSeconds: number;
  /** The end of the chart in epoch seconds. */
  readonly to: number;
  /** When the device sent its latest record, in epoch seconds. It may be earlier than the chart. */
  readonly latestAt?: number | undefined;
}

/** A device is offline after this time or three intervals, whichever is longer (§7). */
const minSeconds = 300;

/**
 * Returns the times in which none of the series has a reading, for longer than it takes until a device counts as offline. The
 * time before the first reading is not one: the device may be new. Without any reading, the time since the latest record is
 * one.
 */
export function findOutages(query: OutageQuery): Outage[] {
  const { series, expectedSeconds, stepSeconds, to, latestAt } = query;
  const read = series.map(({ times, avg }) => times.filter((_, i) => avg[i] !== null));
  // A record may lack these metrics. The most frequent one says when the next reading is due.
  const steps = read.map(medianStep).filter((step) => step > 0);
  const typical = steps.length > 0 ? Math.min(...steps) : 0;
  const longest = Math.max(minSeconds, 3 * expectedSeconds, 2.5 * Math.max(stepSeconds, typical));
  const times = [...new Set(read.flat())].sort((a, b) => a - b);
  if (times.length === 0 && latestAt !== undefined) times.push(latestAt);
  return times.flatMap((at, i) => {
    const until = times[i + 1] ?? to;
    return until - at > longest ? [{ at, until }] : [];
  });
}
