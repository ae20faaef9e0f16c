import type { MetricDescriptions } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import { call } from "../api/call.js";
import { createLooks, type LookOf } from "../series/metric-look.js";
import { useLoad } from "../ui/use-load.js";
import type { TelemetryRecord } from "./live/use-live.js";

const none: MetricDescriptions = {};

/** Reads how the metrics of a device are shown. Until then, they have their own names. */
export function useLooks(deviceId: string, record: TelemetryRecord): LookOf {
  const { value } = useLoad(deviceId, (signal) =>
    call("readDeviceMetrics", { params: { deviceId }, signal }),
  );
  const descriptions = value?.metrics ?? none;
  return useMemo(() => createLooks(descriptions, record), [descriptions, record]);
}
