import { useEffect, useRef, useState } from "preact/hooks";
import { toUrl } from "../api/call.js";
import { createBatcher } from "./batcher.js";

export type LiveState = "connecting" | "live" | "lost";
export type TelemetryRecord = Readonly<Record<string, unknown>>;

const retryMs = 15_000;
/** Records are shown in batches, because a burst may arrive after an outage. */
const batchMs = 200;

/**
 * Follows a device's live telemetry. The browser reconnects by itself after a lost connection and
 * resumes where it was. After an error response, such as for too many streams, this hook retries.
 */
export function useLive(
  deviceId: string,
  onRecords: (records: readonly TelemetryRecord[]) => void,
): LiveState {
  const [state, setState] = useState<LiveState>("connecting");
  const latest = useRef(onRecords);
  latest.current = onRecords;
  useEffect(() => {
    let source: EventSource;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const batcher = createBatcher<TelemetryRecord>((records) => latest.current(records), batchMs);
    const open = () => {
      const path = toUrl("/dashboard/devices/:deviceId/telemetry/live", { params: { deviceId } });
      source = new EventSource(path);
      source.onopen = () => setState("live");
      source.onmessage = ({ data }) => batcher.add(JSON.parse(String(data)) as TelemetryRecord);
      source.onerror = () => {
        setState("lost");
        if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, retryMs);
      };
    };
    open();
    return () => {
      source.close();
      clearTimeout(retry);
      batcher.stop();
    };
  }, [deviceId]);
  return state;
}
