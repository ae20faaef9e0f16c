import type { MetricDescriptions } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import { call } from "../api/call.js";
import { createFormats, type FormatOf } from "../series/metric-format.js";
import { useLoad } from "../ui/use-load.js";
import type { TelemetryRecord } from "./live/use-live.js";

const none: MetricDescriptions = {};

/** Reads how the metrics of a device are shown. Until then, they have their own names. */
export function useFormats(deviceId: string, record: TelemetryRecord): FormatOf {
  const { value } = useLoad(deviceId, (signal) =>
    call("readDeviceMetrics", { params: { deviceId }, signal }),
  );
  const descriptions = value?.metrics ?? none;
  return useMemo(() => createFormats(descriptions, record), [descriptions, record]);
}
