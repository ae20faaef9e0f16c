import type { OtaHistoryEvent } from "@device-gateway/core/contract";
import { stateWords } from "../firmware/state-words.js";
import { tellReason } from "../firmware/tell-reason.js";
import { ago, atTime, shortenHashes } from "../ui/format.js";
import { Empty } from "../ui/parts.js";
import { useNow } from "../ui/use-now.js";

const sources: Readonly<Record<OtaHistoryEvent["source"], string>> = {
  telemetry: "told with its telemetry",
  device: "told by the gateway",
  command: "answer to “update now”",
  server: "seen by the server",
};

/** What the server knows of a download is what it has sent, not what has arrived. */
const wordsOf = ({ state, source }: OtaHistoryEvent) =>
  state === "downloaded" && source === "server"
    ? (["Image sent", "accent"] as const)
    : stateWords[state];

function Line({ event, now }: { event: OtaHistoryEvent; now: number }) {
  const [words, tone] = wordsOf(event);
  const { offeredVersion, fromVersion, progress, message } = event;
  const versions =
    offeredVersion === null || offeredVersion === fromVersion
      ? fromVersion
      : `${fromVersion} → ${offeredVersion}`;
  const reason = tellReason(event);
  return (
    <li class={tone}>
      <div class="between">
        <h3>
          {words}
          {progress !== null && progress > 0 && progress < 100 && ` · ${progress} %`}
        </h3>
        <time class="small muted" dateTime={event.createdAt} title={atTime(event.createdAt)}>
          {ago(Date.parse(event.createdAt), now)}
        </time>
      </div>
      <span class="small muted">
        {versions} · {sources[event.source]}
      </span>
      {reason && <span class="small">{reason}</span>}
      {message && message !== reason && <span class="small muted">{shortenHashes(message)}</span>}
    </li>
  );
}

/** The latest of each step: every tenth of a download would be a line, and each witness one. */
const latestOfSteps = (events: readonly OtaHistoryEvent[]) =>
  events.filter((event, i) => {
    const next = events[i - 1];
    return !next || next.state !== event.state || next.offeredVersion !== event.offeredVersion;
  });

export function OtaTimeline({ events }: { events: readonly OtaHistoryEvent[] }) {
  const now = useNow(5_000);
  if (events.length === 0) {
    return (
      <Empty title="No updates yet">
        <p>What happens to this device's firmware is told here, step by step.</p>
      </Empty>
    );
  }
  return (
    // A new list for a new event: it comes in on top, and nothing slides.
    <ol class="timeline" key={events[0]?.id}>
      {latestOfSteps(events).map((event) => (
        <Line key={event.id} event={event} now={now} />
      ))}
    </ol>
  );
}
