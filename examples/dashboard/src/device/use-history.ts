import type { HistoryAnswer } from "@device-gateway/core/contract";
import { useEffect, useState } from "preact/hooks";
import { call } from "../api/call.js";
import { toMetricList } from "../series/metric-names.js";
import { type RangeName, rangeSeconds, type Zoom } from "../series/range.js";
import { type Loaded, useLoad } from "../ui/use-load.js";

/** Points across a chart: about one per three pixels. */
const maxPoints = 300;
/** How often live readings are replaced by the server's history. */
const refreshMs = 60_000;

export interface History extends Loaded<HistoryAnswer> {
  /** Start of the chart in epoch seconds. */
  readonly from: number;
  /** End of the chart in epoch seconds. */
  readonly to: number;
}

/** Reads the history of metrics over a range that ends now, or over the zoomed range. */
export function useHistory(
  deviceId: string,
  metrics: readonly string[],
  range: RangeName,
  zoom: Zoom | undefined,
): History {
  const [now, setNow] = useState(() => Date.now() / 1000);
  const { from, to } = zoom ?? { from: now - rangeSeconds[range], to: now };
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
  useEffect(() => {
    if (zoom) return;
    const timer = setInterval(() => {
      setNow(Date.now() / 1000);
      refresh();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [zoom, refresh]);
  return { ...loaded, from, to };
}
