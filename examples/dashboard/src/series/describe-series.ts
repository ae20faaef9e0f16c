import * as chartsText from "../text/charts.js";
import { formatNumber } from "../ui/format.js";
import type { MetricFormat } from "./metric-format.js";
import type { Series } from "./to-series.js";

/** Describes a chart in a sentence, for screen readers. */
export function describeSeries(
  { name, unit, decimals }: MetricFormat,
  { min, max }: Pick<Series, "min" | "max">,
): string {
  const lows = min.filter((value) => value !== null);
  const highs = max.filter((value) => value !== null);
  if (lows.length === 0) return chartsText.noReadingsOf(name);
  // Math.min(...lows) would take up to 5000 arguments.
  const low = lows.reduce((a, b) => Math.min(a, b));
  const high = highs.reduce((a, b) => Math.max(a, b));
  const range = [formatNumber(high, decimals), unit].filter(Boolean).join(" ");
  return chartsText.describeSeries(name, lows.length, formatNumber(low, decimals), range);
}
