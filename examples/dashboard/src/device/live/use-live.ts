import { useEffect, useRef, useState } from "preact/hooks";
import { toUrl } from "../../api/call.js";
import { serverNow } from "../../api/server-clock.js";
import { createBatcher } from "./batcher.js";
import { readStream } from "./read-stream.js";

export type LiveState = "connecting" | "live" | "lost";
export type TelemetryRecord = Readonly<Record<string, unknown>>;

export interface Live {
  readonly state: LiveState;
  /** When the server last sent a record or a heartbeat, in epoch milliseconds of its clock. 0 if it never did. */
  readonly heardAt: number;
}

const reconnectMs = 2_000;
/** The wait after an error response, such as for too many streams. */
const retryMs = 15_000;
/** Records are shown in batches, because a burst may arrive after an outage. */
const batchMs = 200;

/** Follows a device's live telemetry while the page is visible. After a lost connection it resumes where it was. */
export function useLive(
  deviceId: string,
  onRecords: (records: readonly TelemetryRecord[]) => void,
): Live {
  const [state, setState] = useState<LiveState>("connecting");
  const heardAt = useRef(0);
  const latest = useRef(onRecords);
  latest.current = onRecords;
  useEffect(() => {
    const url = toUrl("/dashboard/devices/:deviceId/telemetry/live", { params: { deviceId } });
    let stopping = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    let after: string | undefined;
    const batcher = createBatcher<TelemetryRecord>((records) => latest.current(records), batchMs);
    const follow = async (signal: AbortSignal) => {
      const opened = await readStream({
        ...{ url, after, signal },
        onOpen: () => setState("live"),
        onMessage: (position, data) => {
          heardAt.current = serverNow();
          after = position ?? after;
          if (data !== undefined) batcher.add(JSON.parse(data) as TelemetryRecord);
        },
      });
      if (signal.aborted) return;
      setState("lost");
      retry = setTimeout(() => void follow(signal), opened ? reconnectMs : retryMs);
    };
    const stop = () => {
      stopping.abort();
      clearTimeout(retry);
    };
    /** Begins again where the stream was. A hidden page has no stream: a user may have few, and a server many users. */
    const restart = () => {
      stop();
      if (document.visibilityState === "hidden") return;
      stopping = new AbortController();
      setState("connecting");
      void follow(stopping.signal);
    };
    restart();
    document.addEventListener("visibilitychange", restart);
    return () => {
      document.removeEventListener("visibilitychange", restart);
      stop();
      batcher.stop();
    };
  }, [deviceId]);
  return { state, heardAt: heardAt.current };
}
