import type { DeviceSummary } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import { About } from "./about.js";
import type { ShownMetric } from "./combined-chart.js";
import { LatestRecord } from "./latest-record.js";
import { metricUnit, metricValue } from "./metric-names.js";
import { newestRecord, timeOf } from "./newest-record.js";
import { NoReadings } from "./no-readings.js";
import { RefusalCard, useRefusals } from "./refusals.js";
import { toSeries, withReadings } from "./to-series.js";
import { Trends } from "./trends.js";
import { useChartEvents } from "./use-chart-events.js";
import { useChartView } from "./use-chart-view.js";
import { useHistory } from "./use-history.js";
import type { TelemetryRecord } from "./use-live.js";
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
      const unit = metricUnit(record, metric);
      const series = toSeries(answer, metric, device.expectedIntervalSeconds);
      if (zoom) return { metric, unit, series };
      const live = [...readings, record].flatMap((reading) => {
        const value = metricValue(reading, metric);
        return value === undefined ? [] : [{ at: timeOf(reading), value }];
      });
      return { metric, unit, series: withReadings(series, live) };
    });
  }, [answer, JSON.stringify(metrics), readings, record, zoom, device.expectedIntervalSeconds]);
  const newest = newestRecord(readings);
  const to = zoom ? history.to : Math.max(history.to, newest ? timeOf(newest) : 0);
  const from = zoom || isChosenRange ? history.from : startOf(device, history.from, charts);
  const events = useChartEvents(device, from, to);
  const marks = useMemo(() => events.map(({ at }) => at), [events]);
  const isEmpty = answer !== undefined && metrics.length === 0 && !zoom && names.length === 0;
  // An old refusal must not hide the charts.
  const isRefusedNow = device.refusedAt !== undefined || isEmpty;
  return (
    <div class="columns">
      <div class="stack">
        {isRefusedNow && <RefusalCard {...refusals} />}
        {isEmpty ? (
          <NoReadings device={device} record={record} wasRefused={refusals.refusals.length > 0} />
        ) : (
          <Trends
            {...{ device, view, history, metricNames, metrics, charts, events, marks, from, to }}
            latestOf={(metric) => latestReading([...readings, record], metric)}
          />
        )}
        {!isRefusedNow && <RefusalCard {...refusals} />}
      </div>
      <div class="stack">
        <About device={device} />
        <LatestRecord record={record} />
      </div>
    </div>
  );
}
