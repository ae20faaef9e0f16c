import { useMemo, useState } from "preact/hooks";
import { combine } from "../series/chart-columns.js";
import type { MetricFormat } from "../series/metric-format.js";
import { joinTables } from "../series/shown-table.js";
import type { Series } from "../series/to-series.js";
import * as chartsText from "../text/charts.js";
import { formatNumber, formatTime } from "../ui/format.js";
import { lineDash, lineToken } from "./line-style.js";
import { PlotArea, type PlotView } from "./plot-area.js";
import { PointsTable } from "./points-table.js";

export interface ShownMetric {
  readonly metric: string;
  readonly format: MetricFormat;
  readonly series: Series;
}

interface CombinedChartProps extends PlotView {
  readonly metrics: readonly ShownMetric[];
  /** Whether all readings have arrived. */
  readonly complete: boolean;
}

/** A line of the legend, drawn as in the chart. */
const Sample = ({ line }: { line: number }) => (
  <svg class="line-sample" viewBox="0 0 24 8" width="24" height="8" aria-hidden="true">
    <path
      d="M0 4h24"
      style={{ stroke: `var(${lineToken(line)})` }}
      stroke-width="2"
      stroke-dasharray={lineDash(line).join(" ")}
    />
  </svg>
);

/** Shows several metrics in one chart, such as the cells of a battery, with the lowest, the highest and their distance. */
export function CombinedChart({ metrics, complete, ...view }: CombinedChartProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const columns = useMemo(() => combine(metrics.map(({ series }) => series)), [metrics]);
  const { times, values: columnsOfValues, max } = columns;
  const index = hovered ?? max.findLastIndex((value) => value !== null);
  const values = metrics.map(({ metric, format }, line) => ({
    ...{ line, metric, format, name: format.name },
    value: columnsOfValues[line]?.[index] ?? null,
  }));
  const sorted = values
    .flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
    .sort((a, b) => a.value - b.value);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  const shared = <Key extends "unit" | "decimals" | "min" | "max">(key: Key) => {
    const all = new Set(metrics.map(({ format }) => format[key]));
    return all.size === 1 ? metrics[0]?.format[key] : undefined;
  };
  const [unit, decimals] = [shared("unit"), shared("decimals")];
  const scale = { unit, decimals, min: shared("min"), max: shared("max") };
  const format = (value: number) => formatNumber(value, decimals);
  const at = times[index];
  const when = at === undefined ? "" : formatTime(at * 1000);
  const spread =
    lowest && highest
      ? chartsText.spread(
          ...([format(lowest.value), lowest.name] as const),
          ...([format(highest.value), highest.name] as const),
        )
      : chartsText.noReading;
  const name = chartsText.metricCount(metrics.length);
  return (
    <figure class="chart" aria-label={chartsText.describeCombined(name, spread)}>
      <div class="chart-head">
        <div>
          <h3>{chartsText.spreadTitle}</h3>
          <p class="chart-value" key={spread}>
            <span>{lowest && highest ? format(highest.value - lowest.value) : "–"}</span>
            {unit && <span class="unit">{unit}</span>}
          </p>
        </div>
        <p class="chart-when" key={when}>
          <span>{when}</span>
        </p>
      </div>
      <PlotArea
        {...view}
        name={name}
        scale={scale}
        columns={columns}
        tall
        hovered={hovered}
        onHover={setHovered}
        valueText={`${spread} ${unit ?? ""} ${when}`}
      />
      {complete && sorted.length === 0 && hovered === null && (
        <p class="chart-note">{chartsText.noReadingsInRange}</p>
      )}
      <ul class="legend small">
        {values.map(({ line, metric, format, value }) => (
          <li key={metric}>
            <Sample line={line} />
            <span class="legend-name">{format.name}</span>
            <span key={value} class="muted">
              {value === null
                ? "–"
                : [formatNumber(value, format.decimals), format.unit].filter(Boolean).join(" ")}
            </span>
          </li>
        ))}
      </ul>
      <PointsTable name={name} table={joinTables(metrics)} />
    </figure>
  );
}
