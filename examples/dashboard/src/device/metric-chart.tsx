import { useMemo, useState } from "preact/hooks";
import { formatNumber, formatTime } from "../ui/format.js";
import { toColumns } from "./chart-columns.js";
import { describeSeries } from "./describe-series.js";
import { displayName } from "./metric-names.js";
import { PlotArea, type PlotView } from "./plot-area.js";
import { PointsTable } from "./points-table.js";
import { seriesColumns } from "./shown-table.js";
import type { LiveReading, Series } from "./to-series.js";

interface MetricChartProps extends PlotView {
  readonly metric: string;
  readonly unit: string | undefined;
  readonly series: Series | undefined;
  /** The newest reading. It is shown unless the user points at another one. */
  readonly latest: LiveReading | undefined;
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

/** Shows one metric over time. */
export function MetricChart({ metric, unit, series, latest, tall, ...view }: MetricChartProps) {
  const name = displayName(metric);
  const [hovered, setHovered] = useState<number | null>(null);
  const columns = useMemo(() => series && toColumns(series), [series]);
  const pointed = series && hovered !== null ? valueAt(series, hovered) : undefined;
  const newest = latest && describeReading(latest);
  const value = pointed ?? newest ?? (series && valueAt(series, lastIndex(series)));
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
      <PlotArea
        {...view}
        name={name}
        columns={columns}
        tall={tall}
        hovered={hovered}
        onHover={setHovered}
        valueText={
          value ? `${value.value} ${unit ?? ""} ${value.band} ${value.when}` : "no reading"
        }
      />
      {empty && <p class="chart-note">No readings in this range. Choose a longer range.</p>}
      {/* It is there from the start, so that nothing moves when the points arrive. */}
      <PointsTable name={name} table={series && seriesColumns(series)} />
    </figure>
  );
}
