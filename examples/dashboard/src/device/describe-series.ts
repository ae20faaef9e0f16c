import { formatNumber } from "../ui/format.js";
import type { Series } from "./to-series.js";

/** Describes a chart in a sentence, for screen readers. */
export function describeSeries(
  metric: string,
  unit: string | undefined,
  { min, max }: Pick<Series, "min" | "max">,
): string {
  const lows = min.filter((value) => value !== null);
  const highs = max.filter((value) => value !== null);
  if (lows.length === 0) return `${metric}: no readings in this range`;
  // Math.min(...lows) would take up to 5000 arguments.
  const low = lows.reduce((a, b) => Math.min(a, b));
  const high = highs.reduce((a, b) => Math.max(a, b));
  const range = `from ${formatNumber(low)} to ${formatNumber(high)}`;
  return `${metric}: ${lows.length} points, ${range}${unit === undefined ? "" : ` ${unit}`}`;
}
