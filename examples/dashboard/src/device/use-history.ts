import type { HistoryAnswer } from "@device-gateway/core/contract";
import { useEffect } from "preact/hooks";
import { call } from "../api/call.js";
import { useTimeRange } from "../chart/use-time-range.js";
import { toMetricList } from "../series/metric-names.js";
import type { RangeName, Zoom } from "../series/range.js";
import { type Loaded, useLoad } from "../ui/use-load.js";

/** Points across a chart: about one per three pixels. */
const maxPoints = 300;

export interface History extends Loaded<HistoryAnswer> {
  /** Start of the chart in epoch seconds. */
  readonly from: number;
  /** End of the chart in epoch seconds. */
  readonly to: number;
  /** Changes when the range has moved on. */
  readonly round: number;
}

/** Reads the history of metrics over a range that ends now, or over the zoomed range. */
export function useHistory(
  deviceId: string,
  metrics: readonly string[],
  range: RangeName,
  zoom: Zoom | undefined,
): History {
  const { from, to, round } = useTimeRange(range, zoom);
  const key = `${deviceId} ${metrics.join()} ${range} ${zoom ? `${from}-${to}` : ""}`;
  const loaded = useLoad(key, (signal) =>
    call("readTelemetryHistory", {
      params: { deviceId },
      query: {
        from: Math.round(from * 1000),
        to: Math.round(to * 1000),
        metrics: metrics.length > 0 ? toMetricList(metrics) : undefined,
        aggregate: "avg,min,max",
        limit: maxPoints,
      },
      signal,
    }),
  );
  const { refresh } = loaded;
  // The server's history replaces the live readings.
  useEffect(refresh, [refresh, round]);
  return { ...loaded, from, to, round };
}
