import { useMemo, useState } from "preact/hooks";
import { formatNumber, formatTime } from "../ui/format.js";
import { combine } from "./chart-columns.js";
import { lineDash, lineToken } from "./line-style.js";
import { displayName } from "./metric-names.js";
import { PlotArea, type PlotView } from "./plot-area.js";
import { PointsTable } from "./points-table.js";
import { joinTables } from "./shown-table.js";
import type { Series } from "./to-series.js";

export interface ShownMetric {
  readonly metric: string;
  readonly unit: string | undefined;
  readonly series: Series;
}

interface CombinedChartProps extends PlotView {
  readonly metrics: readonly ShownMetric[];
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
export function CombinedChart({ metrics, ...view }: CombinedChartProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const columns = useMemo(() => combine(metrics.map(({ series }) => series)), [metrics]);
  const { times, values: columnsOfValues, max } = columns;
  const index = hovered ?? max.findLastIndex((value) => value !== null);
  const values = metrics.map(({ metric, unit }, line) => ({
    ...{ line, unit, name: displayName(metric) },
    value: columnsOfValues[line]?.[index] ?? null,
  }));
  const sorted = values
    .flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
    .sort((a, b) => a.value - b.value);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  const units = new Set(metrics.map(({ unit }) => unit));
  const unit = units.size === 1 ? ([...units][0] ?? "") : "";
  const at = times[index];
  const when = at === undefined ? "" : formatTime(at * 1000);
  const spread =
    lowest && highest
      ? `lowest ${formatNumber(lowest.value)} (${lowest.name}), highest ${formatNumber(highest.value)} (${highest.name})`
      : "no reading";
  const name = `${metrics.length} metrics`;
  return (
    <figure class="chart" aria-label={`${name} in one chart: ${spread}`}>
      <div class="chart-head">
        <div>
          <h3>Distance of lowest and highest</h3>
          <p class="chart-value" key={spread}>
            <span>{lowest && highest ? formatNumber(highest.value - lowest.value) : "–"}</span>
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
        columns={columns}
        tall
        hovered={hovered}
        onHover={setHovered}
        valueText={`${spread} ${unit} ${when}`}
      />
      {metrics.length > 0 && sorted.length === 0 && hovered === null && (
        <p class="chart-note">No readings in this range. Choose a longer range.</p>
      )}
      <ul class="legend small">
        {values.map(({ line, name: metric, value }) => (
          <li key={metric}>
            <Sample line={line} />
            <span class="legend-name">{metric}</span>
            <span key={value} class="muted">
              {value === null ? "–" : formatNumber(value)}
            </span>
          </li>
        ))}
      </ul>
      <PointsTable name={name} table={joinTables(metrics)} />
    </figure>
  );
}
