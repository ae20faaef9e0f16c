import type { DeviceSummary } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import type { ShownMetric } from "../chart/combined-chart.js";
import { useChartEvents } from "../chart/use-chart-events.js";
import { useChartView } from "../chart/use-chart-view.js";
import { findOutages } from "../series/find-outages.js";
import { metricValue } from "../series/metric-names.js";
import { bucketSeconds, toSeries, withReadings } from "../series/to-series.js";
import { Skeleton } from "../ui/parts.js";
import { About } from "./about.js";
import { LatestRecord } from "./live/latest-record.js";
import { newestRecord, timeOf } from "./live/newest-record.js";
import { NoReadings } from "./live/no-readings.js";
import type { TelemetryRecord } from "./live/use-live.js";
import { RefusalCard, useRefusals } from "./refusals.js";
import { Trends } from "./trends.js";
import { useFormats } from "./use-formats.js";
import { useHistory } from "./use-history.js";
import { useMetricNames } from "./use-metric-names.js";

export interface OverviewProps {
  readonly device: DeviceSummary;
  /** The newest record, or `{}` if there is none. */
  readonly record: TelemetryRecord;
  /** Live records since the page was opened, oldest first. */
  readonly readings: readonly TelemetryRecord[];
}

/** Returns the newest reading of a metric. A record may lack the metric. */
function latestReading(records: readonly TelemetryRecord[], metric: string) {
  const record = newestRecord(records.filter((one) => metricValue(one, metric) !== undefined));
  const value = record && metricValue(record, metric);
  return record && value !== undefined ? { at: timeOf(record), value } : undefined;
}

/** Number of metrics to chart until the user chooses. */
const defaultChartCount = 2;

/** Where the charts begin. Those of a device that was claimed within the range begin with its data. */
function startOf(
  { claimedAt }: DeviceSummary,
  from: number,
  charts: readonly ShownMetric[] | undefined,
) {
  const claimed = claimedAt === null ? 0 : Date.parse(claimedAt) / 1000;
  const first = Math.min(...(charts ?? []).map(({ series }) => series.times[0] ?? claimed));
  return claimed > from && Number.isFinite(first) ? Math.max(from, Math.min(first, claimed)) : from;
}

export function Overview({ device, record, readings }: OverviewProps) {
  const metricNames = useMetricNames(device.id, record);
  const { names } = metricNames;
  const formatOf = useFormats(device.id, record);
  const refusals = useRefusals(device);
  const view = useChartView();
  const { chosen, range, isChosenRange, zoom } = view;
  const requested = useMemo(
    () => chosen ?? names.slice(0, defaultChartCount),
    [JSON.stringify(chosen), JSON.stringify(names)],
  );
  const history = useHistory(device.id, requested, range, zoom);
  const { value: answer } = history;
  // If the latest record has no metric, the history may: without names it returns all top-level numbers.
  const metrics =
    requested.length > 0 ? requested : (answer?.metrics.slice(0, defaultChartCount) ?? []);

  const charts = useMemo(() => {
    if (answer === undefined) return undefined;
    return metrics.map((metric): ShownMetric => {
      const format = formatOf(metric);
      const series = toSeries(answer, metric, device.expectedIntervalSeconds);
      if (zoom) return { metric, format, series };
      const live = [...readings, record].flatMap((reading) => {
        const [at, value] = [timeOf(reading), metricValue(reading, metric)];
        // The latest record of a silent device may be earlier than the chart.
        return value === undefined || at < history.from ? [] : [{ at, value }];
      });
      return { metric, format, series: withReadings(series, live) };
    });
  }, [
    answer,
    JSON.stringify(metrics),
    readings,
    record,
    formatOf,
    zoom,
    history.from,
    device.expectedIntervalSeconds,
  ]);
  const newest = newestRecord(readings);
  const to = zoom ? history.to : Math.max(history.to, newest ? timeOf(newest) : 0);
  const from = zoom || isChosenRange ? history.from : startOf(device, history.from, charts);
  const outages = useMemo(
    () =>
      findOutages({
        series: (charts ?? []).map(({ series }) => series),
        expectedSeconds: device.expectedIntervalSeconds,
        stepSeconds: bucketSeconds(answer?.interval ?? "raw") ?? 0,
        to,
        latestAt: charts && timeOf(record),
      }),
    [charts, answer, device.expectedIntervalSeconds, to, record],
  );
  const chartEvents = useChartEvents(device, { from, to, round: history.round }, outages);
  const isEmpty = answer !== undefined && metrics.length === 0 && !zoom && names.length === 0;
  // An old refusal must not hide the charts.
  const isRefusedNow = device.refusedAt !== undefined || isEmpty;
  return (
    <div class="columns">
      <div class="stack">
        {isRefusedNow && <RefusalCard {...refusals} />}
        {isEmpty && refusals.isFirstLoad && !refusals.wasRefused ? (
          <Skeleton height={160} />
        ) : isEmpty ? (
          <NoReadings device={device} record={record} wasRefused={refusals.wasRefused} />
        ) : (
          <Trends
            {...{ device, view, history, metricNames, metrics, charts, from, to, formatOf }}
            {...chartEvents}
            latestOf={(metric) => latestReading([...readings, record], metric)}
          />
        )}
        {!isRefusedNow && <RefusalCard {...refusals} />}
      </div>
      <div class="stack">
        <About device={device} />
        <LatestRecord record={record} formatOf={formatOf} />
      </div>
    </div>
  );
}
