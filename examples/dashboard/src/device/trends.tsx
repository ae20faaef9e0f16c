import type { DeviceSummary } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import { toUrl } from "../api/call.js";
import { createAxisGroup } from "../chart/align-axes.js";
import { CombinedChart, type ShownMetric } from "../chart/combined-chart.js";
import { downloadShown } from "../chart/download-shown.js";
import { MetricChart } from "../chart/metric-chart.js";
import { MetricChips } from "../chart/metric-chips.js";
import { OwnRange } from "../chart/own-range.js";
import type { ChartEvent } from "../chart/use-chart-events.js";
import type { useChartView } from "../chart/use-chart-view.js";
import type { FormatOf } from "../series/metric-format.js";
import { rangeNames } from "../series/range.js";
import { joinTables } from "../series/shown-table.js";
import { bucketSeconds, type LiveReading, type Series } from "../series/to-series.js";
import * as chartsText from "../text/charts.js";
import { formatDuration, formatTime } from "../ui/format.js";
import { Card, ErrorNotice, Segments } from "../ui/parts.js";
import { joinFailures, type Repeatable } from "../ui/use-load.js";
import { Records } from "./records.js";
import type { History } from "./use-history.js";
import type { useMetricNames } from "./use-metric-names.js";

const noMarks: readonly ChartEvent[] = [];
const noSeries: Series = { times: [], avg: [], min: [], max: [] };

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
  /** Undefined until they have arrived. */
  readonly events: readonly ChartEvent[] | undefined;
  /** Whether the lists of events go back to the start of the charts. */
  readonly hasAllEvents: boolean;
  /** The requests for the events. */
  readonly eventLoads: readonly Repeatable[];
  readonly formatOf: FormatOf;
  /** Seconds. */
  readonly from: number;
  /** Seconds. */
  readonly to: number;
}

function describeResolution(interval: string | undefined): string | undefined {
  if (interval === undefined) return undefined;
  const step = bucketSeconds(interval);
  return step === null ? chartsText.everyReading : chartsText.averageOf(formatDuration(step));
}

/** Lists the events. Its line is reserved from the start, so that nothing below it moves. */
function Events({ events, hasAllEvents, eventLoads, charts }: TrendsProps) {
  if (events === undefined || events.length === 0) {
    const isLoaded = events !== undefined && charts !== undefined;
    // There may be events that could not be read, or earlier ones than those that were read.
    const hasNone = isLoaded && hasAllEvents && !joinFailures(...eventLoads).failure;
    return (
      <p class="chart-events small muted" aria-busy={!isLoaded}>
        {hasNone ? chartsText.noEvents : "\u00a0"}
      </p>
    );
  }
  return (
    <ul class="chart-events small muted" aria-label={chartsText.eventsInRange}>
      {events.map(({ id, at, text }) => (
        <li key={id}>
          {text}, {formatTime(at * 1000)}
        </li>
      ))}
    </ul>
  );
}

function Charts(props: TrendsProps) {
  const { view, metrics, charts, latestOf, from, to, events, formatOf } = props;
  const { setView, together } = view;
  const axes = useMemo(createAxisGroup, []);
  const plot = {
    ...{ from, to, marks: events ?? noMarks, axes },
    onZoom: (start: number, end: number) =>
      setView({
        zoom: { from: Math.floor(start), to: Math.max(Math.ceil(end), Math.floor(start) + 60) },
      }),
    onReset: () => setView({ zoom: undefined }),
  };
  if (together && metrics.length > 1) {
    // The legend has its size from the start.
    const empty = metrics.map((metric) => ({ metric, format: formatOf(metric), series: noSeries }));
    return <CombinedChart metrics={charts ?? empty} complete={charts !== undefined} {...plot} />;
  }
  const shown =
    charts ?? metrics.map((metric) => ({ metric, format: formatOf(metric), series: undefined }));
  return (
    <>
      {shown.map(({ metric, format, series }) => (
        <MetricChart
          key={metric}
          metric={metric}
          format={format}
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
  const { device, view, history, metricNames, metrics, charts, from, to, formatOf } = props;
  const { range, zoom, together, setView } = view;
  const { names, failure, findOlder } = metricNames;
  const older = { failure, reload: () => findOlder?.() };
  const resolution = describeResolution(history.value?.interval);
  const exportUrl = toUrl("/dashboard/devices/:deviceId/telemetry/export", {
    params: { deviceId: device.id },
    query: { from: Math.round(from * 1000), to: Math.round(to * 1000), header: "unit" },
  });
  return (
    <Card
      title={chartsText.trends}
      actions={
        <div class="actions">
          {zoom && (
            <button type="button" class="button small" onClick={() => setView({ zoom: undefined })}>
              {chartsText.resetZoom}
            </button>
          )}
          <Segments
            label={chartsText.range}
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
          formatOf={formatOf}
          chosen={metrics}
          together={together}
          onChoose={(chosen, inOne = together) => setView({ chosen, together: inOne })}
          onFindOlder={findOlder}
        />
        {metrics.length > 1 && (
          <div>
            <Segments
              label={chartsText.chartLayout}
              options={[
                ["each", chartsText.oneChartEach],
                ["one", chartsText.inOneChart],
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
        <ErrorNotice {...joinFailures(history, older, ...props.eventLoads)} />
        <div>
          <Charts {...props} />
          <Events {...props} />
        </div>
        <div class="between small muted">
          <span>
            {/* The text that changes comes last, as a new element. So nothing moves. */}
            <span>{chartsText.dragToZoom}</span>
            {resolution && <span key={resolution}>{` ${resolution}`}</span>}
          </span>
          <span class="downloads">
            <button
              type="button"
              class="link"
              disabled={charts === undefined}
              onClick={() => downloadShown(device.id, joinTables(charts ?? []))}
            >
              {chartsText.downloadShown}
            </button>
            <a href={exportUrl} download>
              {chartsText.downloadCsv}
            </a>
          </span>
        </div>
        <Records
          key={zoom ? `${zoom.from} ${zoom.to}` : range}
          {...{ deviceId: device.id, from, to, metrics, formatOf }}
        />
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
