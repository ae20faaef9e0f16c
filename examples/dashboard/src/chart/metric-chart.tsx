import { useMemo, useState } from "preact/hooks";
import { toColumns } from "../series/chart-columns.js";
import { describeSeries } from "../series/describe-series.js";
import type { MetricFormat } from "../series/metric-format.js";
import { seriesColumns } from "../series/shown-table.js";
import type { LiveReading, Series } from "../series/to-series.js";
import * as chartsText from "../text/charts.js";
import { formatNumber, formatTime } from "../ui/format.js";
import { PlotArea, type PlotView } from "./plot-area.js";
import { PointsTable } from "./points-table.js";

interface MetricChartProps extends PlotView {
  readonly metric: string;
  readonly format: MetricFormat;
  readonly series: Series | undefined;
  /** The newest reading. It is shown unless the user points at another one. */
  readonly latest: LiveReading | undefined;
  /** A chart that is alone is taller. */
  readonly tall: boolean;
}

const lastIndex = ({ avg }: Series) => avg.findLastIndex((value) => value !== null);

const describeReading = ({ at, value }: LiveReading, decimals: number | undefined) => ({
  when: formatTime(at * 1000),
  value: formatNumber(value, decimals),
  band: "",
});

/** Returns the value at an index of a series, with its band if minimum and maximum differ. */
function valueAt({ times, avg, min, max }: Series, index: number, decimals: number | undefined) {
  const format = (value: number) => formatNumber(value, decimals);
  const [at, middle, low, high] = [times[index], avg[index], min[index], max[index]];
  if (at === undefined || middle == null || low == null || high == null) return undefined;
  const band = low === high ? "" : chartsText.averageWithRange(format(low), format(high));
  return { when: formatTime(at * 1000), value: format(middle), band };
}

/** Shows one metric over time. */
export function MetricChart({ metric, format, series, latest, tall, ...view }: MetricChartProps) {
  const { name, unit, decimals } = format;
  const [hovered, setHovered] = useState<number | null>(null);
  const columns = useMemo(() => series && toColumns(series), [series]);
  const pointed = series && hovered !== null ? valueAt(series, hovered, decimals) : undefined;
  const newest = latest && describeReading(latest, decimals);
  const value = pointed ?? newest ?? (series && valueAt(series, lastIndex(series), decimals));
  // The keys below make new elements for new texts. Text beside one that changes its width would count as a layout shift.
  const empty = series?.avg.every((it) => it === null);
  return (
    <figure class="chart" aria-label={series ? describeSeries(format, series) : name}>
      <div class="chart-head">
        <div>
          <h3 title={name}>{name}</h3>
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
        scale={format}
        columns={columns}
        tall={tall}
        hovered={hovered}
        onHover={setHovered}
        valueText={
          value ? `${value.value} ${unit ?? ""} ${value.band} ${value.when}` : chartsText.noReading
        }
      />
      {empty && <p class="chart-note">{chartsText.noReadingsInRange}</p>}
      {/* It is there from the start, so that nothing moves when the points arrive. */}
      <PointsTable name={name} table={series && seriesColumns({ metric, format, series })} />
    </figure>
  );
}
