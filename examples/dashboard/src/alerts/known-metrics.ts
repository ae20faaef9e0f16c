import type { DeviceSummary } from "@device-gateway/core/contract";
import { useEffect, useState } from "preact/hooks";
import { call } from "../api/call.js";
import { onePerHardware, useHardwareFormats } from "../series/hardware-formats.js";
import type { FormatOf } from "../series/metric-format.js";
import { metricNames } from "../series/metric-names.js";

/** Metrics are read for at most this many kinds of hardware. */
export const maxHardware = 5;

/** Returns the metrics in the latest records of the devices, of one device of each hardware, and how they are shown. */
export function useKnownMetrics(devices: readonly DeviceSummary[]): {
  /** Undefined until they are read. */
  readonly names: readonly string[] | undefined;
  readonly formatOf: FormatOf;
} {
  const samples = onePerHardware(devices, maxHardware);
  const formatOf = useHardwareFormats(samples);
  const [names, setNames] = useState<readonly string[] | undefined>();
  const key = JSON.stringify(samples.map(({ id }) => id));
  useEffect(() => {
    let isCurrent = true;
    const read = async ({ id }: DeviceSummary) => {
      const reply = await call("readDevice", { params: { deviceId: id } });
      return reply.ok ? metricNames(reply.value.telemetry) : [];
    };
    void Promise.all(samples.map(read)).then((lists) => {
      if (isCurrent) setNames([...new Set(lists.flat())]);
    });
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return { names, formatOf };
}
