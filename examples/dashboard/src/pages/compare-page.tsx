import { useEffect, useMemo, useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { CombinedChart, type ShownMetric } from "../chart/combined-chart.js";
import type { ChartMark } from "../chart/draw-chart.js";
import { useChartView } from "../chart/use-chart-view.js";
import { useLooks } from "../device/use-looks.js";
import { Link, place } from "../router.js";
import type { LookOf } from "../series/metric-look.js";
import { metricNames, toMetricList } from "../series/metric-names.js";
import { rangeNames, rangeSeconds } from "../series/range.js";
import { toSeries } from "../series/to-series.js";
import * as compareText from "../text/compare.js";
import { Card, EmptyState, ErrorNotice, Segments, Skeleton } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";

const maxDevices = 8;
const maxPoints = 300;
const noRecord = {};
const noMarks: readonly ChartMark[] = [];

interface Compared {
  readonly name: string;
  readonly metrics: readonly string[];
  readonly expectedSeconds: number;
}

/** Reads the devices that the URL names, with the metrics of their latest records. */
function useDevices(ids: readonly string[]) {
  const [devices, setDevices] = useState<ReadonlyMap<string, Compared> | undefined>();
  const [failure, setFailure] = useState<CallFailure | undefined>();
  useEffect(() => {
    let isCurrent = true;
    void Promise.all(
      ids.map(async (deviceId) => ({
        deviceId,
        reply: await call("readDevice", { params: { deviceId } }),
      })),
    ).then((replies) => {
      if (!isCurrent) return;
      const found = replies.flatMap(({ deviceId, reply }) => {
        if (!reply.ok) return [];
        const { device, telemetry } = reply.value;
        const compared: Compared = {
          name: device.name,
          metrics: metricNames(telemetry),
          expectedSeconds: device.expectedIntervalSeconds,
        };
        return [[deviceId, compared] as const];
      });
      const failed = replies.find(({ reply }) => !reply.ok)?.reply;
      setFailure(failed?.ok === false ? failed.failure : undefined);
      setDevices(new Map(found));
    });
    return () => {
      isCurrent = false;
    };
  }, [ids.join()]);
  return { devices, failure };
}

/** Reads one metric of several devices. */
function useSeries(
  devices: ReadonlyMap<string, Compared> | undefined,
  metric: string | undefined,
  from: number,
  to: number,
  lookOf: LookOf,
) {
  const [shown, setShown] = useState<readonly ShownMetric[] | undefined>();
  useEffect(() => {
    let isCurrent = true;
    if (devices === undefined || metric === undefined) return;
    void Promise.all(
      [...devices].map(async ([deviceId, { name, expectedSeconds }]) => {
        const reply = await call("readTelemetryHistory", {
          params: { deviceId },
          query: {
            ...{ from: Math.round(from * 1000), to: Math.round(to * 1000), limit: maxPoints },
            ...{ metrics: toMetricList([metric]), aggregate: "avg,min,max" },
          },
        });
        const answer = reply.ok ? reply.value : { points: [], interval: "raw" };
        return {
          metric: deviceId,
          look: { ...lookOf(metric), name },
          series: toSeries(answer, metric, expectedSeconds),
        };
      }),
    ).then((all) => {
      if (isCurrent) setShown(all);
    });
    return () => {
      isCurrent = false;
    };
  }, [devices, metric, from, to, lookOf]);
  return shown;
}

/** Compares one metric of several devices in one chart. The URL names them. */
export function ComparePage() {
  useTitle(compareText.compareDevices);
  const { query } = place.value;
  const ids = query.getAll("device").slice(0, maxDevices);
  const { range, zoom, chosen, setView } = useChartView();
  const { devices, failure } = useDevices(ids);
  // Most fleets have one hardware. Another one keeps the names of the first.
  const lookOf = useLooks(ids[0] ?? "", noRecord);
  const names = useMemo(
    () => [...new Set([...(devices?.values() ?? [])].flatMap(({ metrics }) => metrics))],
    [devices],
  );
  const metric = chosen?.[0] ?? names[0];
  const [now] = useState(() => Date.now() / 1000);
  const { from, to } = zoom ?? { from: now - rangeSeconds[range], to: now };
  const shown = useSeries(devices, metric, from, to, lookOf);
  if (ids.length < 2) {
    return (
      <EmptyState
        whole
        title={compareText.nothingToCompare}
        actions={
          <Link to="/" class="button primary">
            {compareText.yourDevices}
          </Link>
        }
      >
        <p>{compareText.nothingToCompareHint(maxDevices)}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <div class="head">
        <h1>{compareText.compareCount(ids.length)}</h1>
      </div>
      <div class="stack">
        <ErrorNotice failure={failure} />
        <Card
          title={compareText.trends}
          actions={
            <div class="actions">
              {zoom && (
                <button
                  type="button"
                  class="button small"
                  onClick={() => setView({ zoom: undefined })}
                >
                  {compareText.resetZoom}
                </button>
              )}
              <Segments
                label={compareText.range}
                options={rangeNames}
                chosen={zoom ? undefined : range}
                onChoose={(name) => setView({ range: name, zoom: undefined })}
              />
            </div>
          }
        >
          <div class="stack">
            <select
              class="input"
              aria-label={compareText.metric}
              value={metric}
              onChange={(event) => setView({ chosen: [event.currentTarget.value] })}
            >
              {[...new Set([...names, ...(metric === undefined ? [] : [metric])])].map((name) => (
                <option key={name} value={name}>
                  {lookOf(name).name}
                </option>
              ))}
            </select>
            {shown ? (
              <CombinedChart
                metrics={shown}
                from={from}
                to={to}
                marks={noMarks}
                onZoom={(start, end) =>
                  setView({
                    zoom: {
                      from: Math.floor(start),
                      to: Math.max(Math.ceil(end), Math.floor(start) + 60),
                    },
                  })
                }
                onReset={() => setView({ zoom: undefined })}
              />
            ) : (
              <Skeleton height={420} />
            )}
          </div>
        </Card>
      </div>
    </>
  );
}
