import { useEffect, useRef, useState } from "preact/hooks";
import { toUrl } from "../api/call.js";
import { createBatcher } from "./batcher.js";

export type LiveState = "connecting" | "live" | "lost";
export type TelemetryRecord = Readonly<Record<string, unknown>>;

const retryMs = 15_000;
/** Records that come in a burst, as after an outage, are shown so often, not one by one. */
const batchMs = 200;

/**
 * Follows what a device sends. The browser connects again by itself after a break, and resumes
 * where it was; after a refusal (too many pages are open, say) this tries anew now and then.
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
    const gathered = createBatcher<TelemetryRecord>((records) => latest.current(records), batchMs);
    const open = () => {
      const path = toUrl("/dashboard/devices/:deviceId/telemetry/live", { params: { deviceId } });
      source = new EventSource(path);
      source.onopen = () => setState("live");
      source.onmessage = ({ data }) => gathered.add(JSON.parse(String(data)) as TelemetryRecord);
      source.onerror = () => {
        setState("lost");
        if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, retryMs);
      };
    };
    open();
    return () => {
      source.close();
      clearTimeout(retry);
      gathered.stop();
    };
  }, [deviceId]);
  return state;
}
