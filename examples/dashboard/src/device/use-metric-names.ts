import { useMemo, useRef, useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { serverNow } from "../api/server-clock.js";
import { metricNames } from "../series/metric-names.js";
import type { TelemetryRecord } from "./live/use-live.js";

const olderDays = 30;
const dayMs = 86_400_000;

/** Returns the metrics of a device: of the newest record, of records seen since the page was opened, and found ones. */
export function useMetricNames(deviceId: string, record: TelemetryRecord) {
  // A record may lack metrics, for example one that only reports an update. Names once seen stay.
  const seen = useRef<readonly string[]>([]);
  const [older, setOlder] = useState<readonly string[] | undefined>();
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const names = useMemo(() => {
    seen.current = [...new Set([...seen.current, ...metricNames(record), ...(older ?? [])])];
    return seen.current;
  }, [record, older]);
  /** Reads the names of all metrics of the last 30 days, which takes the server some work. */
  const findOlder = async () => {
    const now = serverNow();
    const reply = await call("readTelemetryHistory", {
      params: { deviceId },
      query: {
        ...{ from: now - olderDays * dayMs, to: now, metrics: "*" },
        ...{ interval: "1d", aggregate: "count", limit: olderDays + 1 },
      },
    });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) setOlder(reply.value.metrics);
  };
  return {
    names,
    failure,
    findOlder: older === undefined ? () => void findOlder() : undefined,
  };
}
