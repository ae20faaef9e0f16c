import type { OtaHistoryEvent } from "@device-gateway/core/contract";
import { describeUpdateEnd } from "../../firmware/describe-update-end.js";
import { keepLatestPerStep } from "../../firmware/keep-latest-per-step.js";
import { updateStateLabels } from "../../firmware/state-labels.js";
import * as firmwareText from "../../text/firmware.js";
import { formatAgo, formatTime, shortenHashes } from "../../ui/format.js";
import { EmptyState } from "../../ui/parts.js";
import { useNow } from "../../ui/use-now.js";

const sourceLabels: Readonly<Record<OtaHistoryEvent["source"], string>> = {
  telemetry: firmwareText.reportedWithTelemetry,
  device: firmwareText.reportedByTheGateway,
  command: firmwareText.responseToUpdateNow,
  server: firmwareText.recordedByTheServer,
};

/** The server knows that it sent the whole image, not that the image arrived. */
const labelOf = ({ state, source }: OtaHistoryEvent) =>
  state === "downloaded" && source === "server"
    ? ([firmwareText.imageSent, "accent"] as const)
    : updateStateLabels[state];

function Line({ event, now }: { event: OtaHistoryEvent; now: number }) {
  const [label, tone] = labelOf(event);
  const { offeredVersion, fromVersion, progress, message } = event;
  const versions =
    offeredVersion === null || offeredVersion === fromVersion
      ? fromVersion
      : `${fromVersion} → ${offeredVersion}`;
  const reason = describeUpdateEnd(event);
  return (
    <li class={tone}>
      <div class="between">
        <h3>
          {label}
          {progress !== null && progress > 0 && progress < 100 && ` · ${progress}%`}
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

export function OtaTimeline({ events }: { events: readonly OtaHistoryEvent[] }) {
  const now = useNow(5_000);
  if (events.length === 0) {
    return (
      <EmptyState title={firmwareText.noUpdatesYet}>
        <p>{firmwareText.noUpdatesHint}</p>
      </EmptyState>
    );
  }
  return (
    // The key makes a new list for a new event. A list that slides down would count as a layout shift.
    <ol class="timeline" key={events[0]?.id}>
      {keepLatestPerStep(events).map((event) => (
        <Line key={event.id} event={event} now={now} />
      ))}
    </ol>
  );
}
