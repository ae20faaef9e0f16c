import type { DeviceSummary } from "@device-gateway/core/contract";
import { useMemo, useRef } from "preact/hooks";
import { toUrl } from "../api/call.js";
import { formatDuration, formatTime } from "../ui/format.js";
import { Card, EmptyState, ErrorNotice, Segments } from "../ui/parts.js";
import { Scrollable } from "../ui/scrollable.js";
import { About } from "./about.js";
import { MetricChart } from "./metric-chart.js";
import { MetricChips } from "./metric-chips.js";
import { metricNames, metricUnit, metricValue } from "./metric-names.js";
import { newestRecord, timeOf } from "./newest-record.js";
import { rangeNames } from "./range.js";
import { RecordTree } from "./record-tree.js";
import { bucketSeconds, toSeries, withReadings } from "./to-series.js";
import { useChartView } from "./use-chart-view.js";
import { useHistory } from "./use-history.js";
import type { TelemetryRecord } from "./use-live.js";

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

function LatestRecord({ record }: { record: TelemetryRecord }) {
  const at = record["timestamp"];
  return (
    <Card title="Latest record">
      {typeof at === "string" ? (
        <div class="stack-small">
          <p class="small muted">{formatTime(at)}</p>
          <Scrollable class="scroll" label="Latest record">
            <RecordTree record={record} />
          </Scrollable>
        </div>
      ) : (
        <p class="muted">No records yet.</p>
      )}
    </Card>
  );
}

export function Overview({ device, record, readings }: OverviewProps) {
  // A record may lack metrics, for example one that only reports an update. Names once seen stay.
  const seen = useRef<readonly string[]>([]);
  const names = useMemo(() => {
    seen.current = [...new Set([...seen.current, ...metricNames(record)])];
    return seen.current;
  }, [record]);
  const known = names.join();
  const { chosen, range, zoom, setView } = useChartView();
  const requested = useMemo(
    () => chosen ?? names.slice(0, defaultChartCount),
    [chosen?.join(), known],
  );
  const history = useHistory(device.id, requested, range, zoom);
  const { value: answer, from } = history;
  // If the latest record has no metric, the history may: without names it returns all top-level numbers.
  const metrics =
    requested.length > 0 ? requested : (answer?.metrics.slice(0, defaultChartCount) ?? []);

  const charts = useMemo(() => {
    if (answer === undefined) return undefined;
    return metrics.map((metric) => {
      const series = toSeries(answer, metric, device.expectedIntervalSeconds);
      if (zoom) return { metric, series };
      const live = [...readings, record].flatMap((reading) => {
        const value = metricValue(reading, metric);
        return value === undefined ? [] : [{ at: timeOf(reading), value }];
      });
      return {
        metric,
        series: withReadings(series, live),
      };
    });
  }, [answer, metrics, readings, record, zoom, device.expectedIntervalSeconds]);
  const newest = newestRecord(readings);
  const to = zoom ? history.to : Math.max(history.to, newest ? timeOf(newest) : 0);

  const step = answer && bucketSeconds(answer.interval);
  const resolution =
    step == null
      ? "Every reading."
      : `Average of ${formatDuration(step)}, with the range from lowest to highest.`;

  const zoomTo = (start: number, end: number) =>
    setView({
      zoom: { from: Math.floor(start), to: Math.max(Math.ceil(end), Math.floor(start) + 60) },
    });
  if (answer !== undefined && metrics.length === 0 && !zoom && names.length === 0) {
    return (
      <Card>
        <EmptyState title="No readings yet">
          <p>
            Readings appear here as they arrive, about every{" "}
            {formatDuration(device.expectedIntervalSeconds)}. Check that the gateway has power and
            Wi-Fi.
          </p>
        </EmptyState>
      </Card>
    );
  }
  const exportUrl = toUrl("/dashboard/devices/:deviceId/telemetry/export", {
    params: { deviceId: device.id },
    query: { from: Math.round(from * 1000), to: Math.round(to * 1000) },
  });
  return (
    <div class="columns">
      <Card
        title="Trends"
        actions={
          <div class="actions">
            {zoom && (
              <button
                type="button"
                class="button small"
                onClick={() => setView({ zoom: undefined })}
              >
                Reset zoom
              </button>
            )}
            <Segments
              label="Range"
              options={rangeNames}
              chosen={zoom ? undefined : range}
              onChoose={(name) => setView({ range: name, zoom: undefined })}
            />
          </div>
        }
      >
        <div class="stack">
          {names.length > 1 && (
            <MetricChips
              names={names}
              chosen={metrics}
              onChoose={(next) => setView({ chosen: next })}
            />
          )}
          <ErrorNotice failure={history.failure} retry={history.reload} />
          <div>
            {(charts ?? metrics.map((metric) => ({ metric, series: undefined }))).map(
              ({ metric, series }) => (
                <MetricChart
                  key={metric}
                  metric={metric}
                  unit={metricUnit(record, metric)}
                  series={series}
                  latest={latestReading([...readings, record], metric)}
                  from={from}
                  to={to}
                  onZoom={zoomTo}
                  onReset={() => setView({ zoom: undefined })}
                  tall={metrics.length === 1}
                />
              ),
            )}
          </div>
          <div class="between small muted">
            <span>
              {/* The text that changes comes last, as a new element. So nothing moves. */}
              <span class="with-mouse">Drag across a chart to zoom.</span>
              {answer && <span key={resolution}>{` ${resolution}`}</span>}
            </span>
            <a href={exportUrl} download>
              Download as CSV
            </a>
          </div>
        </div>
      </Card>
      <div class="stack">
        <About device={device} />
        <LatestRecord record={record} />
      </div>
    </div>
  );
}
