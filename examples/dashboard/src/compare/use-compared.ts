import type { HistoryAnswer } from "@device-gateway/core/contract";
import { useEffect, useMemo } from "preact/hooks";
import { call } from "../api/call.js";
import type { ShownMetric } from "../chart/combined-chart.js";
import { useTimeRange } from "../chart/use-time-range.js";
import type { FormatOf } from "../series/metric-format.js";
import { metricNames, toMetricList } from "../series/metric-names.js";
import type { RangeName, Zoom } from "../series/range.js";
import { toSeries } from "../series/to-series.js";
import { useLoad } from "../ui/use-load.js";
import { readEach } from "./read-each.js";

const maxPoints = 300;
const noPoints: Pick<HistoryAnswer, "points" | "interval"> = { points: [], interval: "raw" };

/** Reads the devices to compare, with the metrics of their latest records. */
export function useComparedDevices(ids: readonly string[]) {
  const loaded = useLoad(JSON.stringify(ids), (signal) =>
    readEach(ids, (deviceId) => call("readDevice", { params: { deviceId }, signal })),
  );
  const devices = loaded.value?.found;
  const names = useMemo(
    () => [
      ...new Set([...(devices?.values() ?? [])].flatMap(({ telemetry }) => metricNames(telemetry))),
    ],
    [devices],
  );
  return { ...loaded, devices, names };
}

export type ComparedDevices = ReturnType<typeof useComparedDevices>["devices"];

interface View {
  readonly metric: string | undefined;
  readonly range: RangeName;
  readonly zoom: Zoom | undefined;
  readonly formatOf: FormatOf;
}

/** Reads one metric of several devices. A device has an empty line until its history has arrived. */
export function useComparedSeries(
  devices: ComparedDevices,
  { metric, range, zoom, formatOf }: View,
) {
  const { from, to, round } = useTimeRange(range, zoom);
  const ids = metric === undefined ? [] : [...(devices?.keys() ?? [])];
  const loaded = useLoad(JSON.stringify([ids, metric, range, zoom]), (signal) =>
    readEach(ids, (deviceId) =>
      call("readTelemetryHistory", {
        params: { deviceId },
        query: {
          ...{ from: Math.round(from * 1000), to: Math.round(to * 1000), limit: maxPoints },
          ...{ metrics: toMetricList([metric ?? ""]), aggregate: "avg,min,max" },
        },
        signal,
      }),
    ),
  );
  const { value, refresh } = loaded;
  useEffect(refresh, [refresh, round]);
  const shown = useMemo((): readonly ShownMetric[] => {
    if (metric === undefined) return [];
    return [...(devices ?? [])].map(([deviceId, { device }]) => ({
      metric: deviceId,
      format: { ...formatOf(metric), name: device.name },
      series: toSeries(
        value?.found.get(deviceId) ?? noPoints,
        metric,
        device.expectedIntervalSeconds,
      ),
    }));
  }, [devices, metric, value, formatOf]);
  return { ...loaded, shown, complete: value?.found.size === ids.length, from, to };
}
