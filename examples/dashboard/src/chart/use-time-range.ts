import { useEffect, useMemo, useState } from "preact/hooks";
import { clockOffset } from "../api/server-clock.js";
import { type RangeName, rangeSeconds, type Zoom } from "../series/range.js";
import { repeatWhileVisible } from "../ui/repeat-while-visible.js";

const refreshMs = 60_000;

export interface TimeRange extends Zoom {
  /** Changes when the range has moved on, so that its readings must be loaded again. */
  readonly round: number;
}

/**
 * Returns the range that charts show: the zoomed one, or one that ends now, by the server's clock. The latter moves on each minute, when the user
 * chooses it, and when the page becomes visible.
 */
export function useTimeRange(range: RangeName, zoom: Zoom | undefined): TimeRange {
  const [round, setRound] = useState(0);
  const isZoomed = zoom !== undefined;
  const offset = clockOffset.value;
  const now = useMemo(() => (Date.now() + offset) / 1000, [range, isZoomed, round, offset]);
  useEffect(() => {
    if (isZoomed) return;
    return repeatWhileVisible(() => setRound((before) => before + 1), refreshMs);
  }, [isZoomed]);
  const { from, to } = zoom ?? { from: now - rangeSeconds[range], to: now };
  return { from, to, round };
}
