import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { formatNumber, formatTime } from "../ui/format.js";
import { describeSeries } from "./describe-series.js";
import { type Chart, drawChart } from "./draw-chart.js";
import type { Series } from "./to-series.js";

interface MetricChartProps {
  readonly metric: string;
  readonly unit: string | undefined;
  readonly series: Series | undefined;
  /** Seconds. */
  readonly from: number;
  /** Seconds. */
  readonly to: number;
  readonly onZoom: (from: number, to: number) => void;
  /** A chart that is alone is taller. */
  readonly tall: boolean;
}

function lastIndex({ avg }: Series): number | null {
  const index = avg.findLastIndex((value) => value !== null);
  return index < 0 ? null : index;
}

/** Returns the value at an index of a series, with its band if minimum and maximum differ. */
function valueAt({ times, avg, min, max }: Series, index: number) {
  const [at, middle, low, high] = [times[index], avg[index], min[index], max[index]];
  if (at === undefined || middle == null || low == null || high == null) return undefined;
  const band = low === high ? "" : `from ${formatNumber(low)} to ${formatNumber(high)}`;
  return { when: formatTime(at * 1000), value: formatNumber(middle), band };
}

export function MetricChart({ metric, unit, series, from, to, onZoom, tall }: MetricChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | undefined>(undefined);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const [hovered, setHovered] = useState<number | null>(null);
  const [theme, onTheme] = useReducer((round: number) => round + 1, 0);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => onTheme(undefined);
    dark.addEventListener("change", repaint);
    addEventListener("themechange", repaint);
    return () => {
      dark.removeEventListener("change", repaint);
      removeEventListener("themechange", repaint);
    };
  }, []);
  const drawn = series !== undefined;
  useEffect(() => {
    if (!host.current || !series) return;
    const zoomTo = (start: number, end: number) => zoom.current(start, end);
    const facts = { series, from, to, onHover: setHovered, onZoom: zoomTo };
    chart.current = drawChart({ host: host.current, ...facts });
    return () => {
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [drawn, theme]);
  useEffect(() => {
    if (series) chart.current?.update(series, from, to);
  }, [series, from, to]);

  const index = series && (hovered ?? lastIndex(series));
  const value = series && index != null ? valueAt(series, index) : undefined;
  // The keys below make new elements for new texts. Text beside one that changes its width would count as a layout shift.
  const empty = series?.avg.every((it) => it === null);
  return (
    <figure class="chart" aria-label={series ? describeSeries(metric, unit, series) : metric}>
      <div class="chart-head">
        <div>
          <h3>{metric}</h3>
          <p class="chart-value" key={value?.value}>
            <span>{value?.value ?? "–"}</span>
            {unit && <span class="unit">{unit}</span>}
          </p>
        </div>
        <p class="chart-when" key={`${value?.band} ${value?.when}`}>
          <span>{value?.band}</span>
          <span>{value?.when}</span>
        </p>
      </div>
      <div class={`plot ${tall ? "tall" : ""}`} ref={host} aria-hidden="true" />
      {empty && <p class="chart-note">No readings in this range. Choose a longer range.</p>}
    </figure>
  );
}
