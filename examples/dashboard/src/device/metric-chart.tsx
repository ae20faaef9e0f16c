import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { formatNumber, formatTime } from "../ui/format.js";
import { describeSeries } from "./describe-series.js";
import { type Chart, drawChart } from "./draw-chart.js";
import { displayName } from "./metric-names.js";
import { nextPoint } from "./next-point.js";
import { PointsTable } from "./points-table.js";
import type { LiveReading, Series } from "./to-series.js";

interface MetricChartProps {
  readonly metric: string;
  readonly unit: string | undefined;
  readonly series: Series | undefined;
  /** The newest reading. It is shown unless the user points at another one. */
  readonly latest: LiveReading | undefined;
  /** Seconds. */
  readonly from: number;
  /** Seconds. */
  readonly to: number;
  readonly onZoom: (from: number, to: number) => void;
  readonly onReset: () => void;
  /** A chart that is alone is taller. */
  readonly tall: boolean;
}

const lastIndex = ({ avg }: Series) => avg.findLastIndex((value) => value !== null);

const describeReading = ({ at, value }: LiveReading) => ({
  when: formatTime(at * 1000),
  value: formatNumber(value),
  band: "",
});

/** Returns the value at an index of a series, with its band if minimum and maximum differ. */
function valueAt({ times, avg, min, max }: Series, index: number) {
  const [at, middle, low, high] = [times[index], avg[index], min[index], max[index]];
  if (at === undefined || middle == null || low == null || high == null) return undefined;
  const band = low === high ? "" : `average, from ${formatNumber(low)} to ${formatNumber(high)}`;
  return { when: formatTime(at * 1000), value: formatNumber(middle), band };
}

export function MetricChart(props: MetricChartProps) {
  const { metric, unit, series, latest, from, to, onZoom, onReset, tall } = props;
  const name = displayName(metric);
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | undefined>(undefined);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const reset = useRef(onReset);
  reset.current = onReset;
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
    const facts = {
      series,
      from,
      to,
      onHover: setHovered,
      onZoom: zoomTo,
      onReset: () => reset.current(),
    };
    chart.current = drawChart({ host: host.current, ...facts });
    return () => {
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [drawn, theme]);
  useEffect(() => {
    if (series) chart.current?.update(series, from, to);
  }, [series, from, to]);

  const pointed = series && hovered !== null ? valueAt(series, hovered) : undefined;
  const newest = latest && describeReading(latest);
  const value = pointed ?? newest ?? (series && valueAt(series, lastIndex(series)));
  const current = series && (hovered ?? lastIndex(series));
  const onKeyDown = (event: KeyboardEvent) => {
    const next = series && nextPoint(series, current ?? -1, event.key);
    if (next === undefined) return;
    event.preventDefault();
    chart.current?.pointAt(next);
    setHovered(next);
  };
  // The keys below make new elements for new texts. Text beside one that changes its width would count as a layout shift.
  const empty = series?.avg.every((it) => it === null);
  return (
    <figure class="chart" aria-label={series ? describeSeries(name, unit, series) : name}>
      <div class="chart-head">
        <div>
          <h3>{name}</h3>
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
      <div
        class={`plot ${tall ? "tall" : ""}`}
        ref={host}
        role="slider"
        tabIndex={0}
        aria-label={`${name}: point under the cursor`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, (series?.times.length ?? 0) - 1)}
        aria-valuenow={Math.max(0, current ?? 0)}
        aria-valuetext={
          value ? `${value.value} ${unit ?? ""} ${value.band} ${value.when}` : "no reading"
        }
        onKeyDown={onKeyDown}
      />
      {empty && <p class="chart-note">No readings in this range. Choose a longer range.</p>}
      {/* It is there from the start, so that nothing moves when the points arrive. */}
      <PointsTable name={name} series={series} />
    </figure>
  );
}
