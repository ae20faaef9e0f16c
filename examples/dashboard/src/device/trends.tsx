import type { DeviceSummary } from "@device-gateway/core/contract";
import { toUrl } from "../api/call.js";
import { formatDuration, formatTime } from "../ui/format.js";
import { Card, ErrorNotice, Segments } from "../ui/parts.js";
import { CombinedChart, type ShownMetric } from "./combined-chart.js";
import { downloadShown } from "./download-shown.js";
import { MetricChart } from "./metric-chart.js";
import { MetricChips } from "./metric-chips.js";
import { OwnRange } from "./own-range.js";
import { rangeNames } from "./range.js";
import { joinTables } from "./shown-table.js";
import { bucketSeconds, type LiveReading } from "./to-series.js";
import type { ChartEvent } from "./use-chart-events.js";
import type { useChartView } from "./use-chart-view.js";
import type { History } from "./use-history.js";
import type { useMetricNames } from "./use-metric-names.js";

interface TrendsProps {
  readonly device: DeviceSummary;
  readonly view: ReturnType<typeof useChartView>;
  readonly history: History;
  readonly metricNames: ReturnType<typeof useMetricNames>;
  /** The metrics to draw. */
  readonly metrics: readonly string[];
  /** Undefined until the history has arrived. */
  readonly charts: readonly ShownMetric[] | undefined;
  readonly latestOf: (metric: string) => LiveReading | undefined;
  readonly events: readonly ChartEvent[];
  readonly marks: readonly number[];
  /** Seconds. */
  readonly from: number;
  /** Seconds. */
  readonly to: number;
}

function describeResolution(interval: string | undefined): string | undefined {
  if (interval === undefined) return undefined;
  const step = bucketSeconds(interval);
  return step === null
    ? "Every reading."
    : `Average of ${formatDuration(step)}, with the range from lowest to highest.`;
}

function Events({ events }: Pick<TrendsProps, "events">) {
  if (events.length === 0) return null;
  return (
    <ul class="chart-events small muted" aria-label="Events in this range">
      {events.map(({ id, at, text }) => (
        <li key={id}>
          {text}, {formatTime(at * 1000)}
        </li>
      ))}
    </ul>
  );
}

function Charts(props: TrendsProps) {
  const { view, metrics, charts, latestOf, from, to, marks } = props;
  const { setView, together } = view;
  const plot = {
    ...{ from, to, marks },
    onZoom: (start: number, end: number) =>
      setView({
        zoom: { from: Math.floor(start), to: Math.max(Math.ceil(end), Math.floor(start) + 60) },
      }),
    onReset: () => setView({ zoom: undefined }),
  };
  if (together && metrics.length > 1) return <CombinedChart metrics={charts ?? []} {...plot} />;
  const shown = charts ?? metrics.map((metric) => ({ metric, unit: undefined, series: undefined }));
  return (
    <>
      {shown.map(({ metric, unit, series }) => (
        <MetricChart
          key={metric}
          metric={metric}
          unit={unit}
          series={series}
          latest={latestOf(metric)}
          tall={metrics.length === 1}
          {...plot}
        />
      ))}
    </>
  );
}

/** The charts of a device, and what they show. */
export function Trends(props: TrendsProps) {
  const { device, view, history, metricNames, metrics, charts, events, from, to } = props;
  const { range, zoom, together, setView } = view;
  const { names, failure, findOlder } = metricNames;
  const resolution = describeResolution(history.value?.interval);
  const exportUrl = toUrl("/dashboard/devices/:deviceId/telemetry/export", {
    params: { deviceId: device.id },
    query: { from: Math.round(from * 1000), to: Math.round(to * 1000) },
  });
  return (
    <Card
      title="Trends"
      actions={
        <div class="actions">
          {zoom && (
            <button type="button" class="button small" onClick={() => setView({ zoom: undefined })}>
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
        <MetricChips
          names={names}
          chosen={metrics}
          together={together}
          onChoose={(chosen, inOne = together) => setView({ chosen, together: inOne })}
          onFindOlder={findOlder}
        />
        {metrics.length > 1 && (
          <div>
            <Segments
              label="Charts"
              options={[
                ["each", "Each on its own"],
                ["one", "In one chart"],
              ]}
              chosen={together ? "one" : "each"}
              onChoose={(choice) =>
                setView({
                  together: choice === "one",
                  chosen: choice === "one" ? metrics : metrics.slice(0, 6),
                })
              }
            />
          </div>
        )}
        <ErrorNotice failure={history.failure ?? failure} retry={history.reload} />
        <div>
          <Charts {...props} />
          <Events events={events} />
        </div>
        <div class="between small muted">
          <span>
            {/* The text that changes comes last, as a new element. So nothing moves. */}
            <span>Drag across a chart to zoom.</span>
            {resolution && <span key={resolution}>{` ${resolution}`}</span>}
          </span>
          <span class="downloads">
            <button
              type="button"
              class="link"
              disabled={charts === undefined}
              onClick={() => downloadShown(device.id, joinTables(charts ?? []))}
            >
              Download what is shown
            </button>
            <a href={exportUrl} download>
              Download as CSV
            </a>
          </span>
        </div>
        <OwnRange
          view={zoom ? `${zoom.from} ${zoom.to}` : range}
          from={from}
          to={to}
          onChoose={(chosen) => setView({ zoom: chosen })}
        />
      </div>
    </Card>
  );
}
