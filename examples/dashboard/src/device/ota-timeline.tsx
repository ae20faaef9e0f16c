import type { OtaHistoryEvent } from "@device-gateway/core/contract";
import { updateStateLabels } from "../firmware/state-labels.js";
import { describeReason } from "../firmware/describe-reason.js";
import { formatAgo, formatTime, shortenHashes } from "../ui/format.js";
import { EmptyState } from "../ui/parts.js";
import { useNow } from "../ui/use-now.js";

const sourceLabels: Readonly<Record<OtaHistoryEvent["source"], string>> = {
  telemetry: "told with its telemetry",
  device: "told by the gateway",
  command: "answer to “update now”",
  server: "seen by the server",
};

/** What the server knows of a download is what it has sent, not what has arrived. */
const labelOf = ({ state, source }: OtaHistoryEvent) =>
  state === "downloaded" && source === "server"
    ? (["Image sent", "accent"] as const)
    : updateStateLabels[state];

function Line({ event, now }: { event: OtaHistoryEvent; now: number }) {
  const [words, tone] = labelOf(event);
  const { offeredVersion, fromVersion, progress, message } = event;
  const versions =
    offeredVersion === null || offeredVersion === fromVersion
      ? fromVersion
      : `${fromVersion} → ${offeredVersion}`;
  const reason = describeReason(event);
  return (
    <li class={tone}>
      <div class="between">
        <h3>
          {words}
          {progress !== null && progress > 0 && progress < 100 && ` · ${progress} %`}
        </h3>
        <time class="small muted" dateTime={event.createdAt} title={formatTime(event.createdAt)}>
          {formatAgo(Date.parse(event.createdAt), now)}
        </time>
      </div>
      <span class="small muted">
        {versions} · {sourceLabels[event.source]}
      </span>
      {reason && <span class="small">{reason}</span>}
      {message && message !== reason && <span class="small muted">{shortenHashes(message)}</span>}
    </li>
  );
}

/** The latest of each step: every tenth of a download would be a line, and each witness one. */
const keepLatestPerStep = (events: readonly OtaHistoryEvent[]) =>
  events.filter((event, i) => {
    const next = events[i - 1];
    return !next || next.state !== event.state || next.offeredVersion !== event.offeredVersion;
  });

export function OtaTimeline({ events }: { events: readonly OtaHistoryEvent[] }) {
  const now = useNow(5_000);
  if (events.length === 0) {
    return (
      <EmptyState title="No updates yet">
        <p>What happens to this device's firmware is told here, step by step.</p>
      </EmptyState>
    );
  }
  return (
    // A new list for a new event: it comes in on top, and nothing slides.
    <ol class="timeline" key={events[0]?.id}>
      {keepLatestPerStep(events).map((event) => (
        <Line key={event.id} event={event} now={now} />
      ))}
    </ol>
  );
}
