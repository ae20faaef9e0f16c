import type { AuditEvent } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call, toUrl } from "../api/call.js";
import { devicePath, Link } from "../router.js";
import { isOperator } from "../session.js";
import { formatTime } from "../ui/format.js";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useLoad } from "../ui/use-load.js";
import { describeDetails } from "./describe-details.js";
import { OperatorsOnly } from "./operators-only.js";

const Row = ({ event }: { event: AuditEvent }) => (
  <tr>
    <td class="name">
      <strong>{event.kind.replaceAll("_", " ")}</strong>
      <div class="small muted break">{describeDetails(event.details)}</div>
    </td>
    <td class="cut">
      {event.deviceId && <Link to={devicePath(event.deviceId)}>{event.deviceId}</Link>}
    </td>
    <td class="small muted cut who" title={event.actor}>
      {event.actor}
      {event.clientAddress && <div>{event.clientAddress}</div>}
    </td>
    <td class="small muted when">
      <time class="time" dateTime={event.at}>
        {formatTime(event.at)}
      </time>
    </td>
  </tr>
);

interface Trail {
  readonly events: readonly AuditEvent[];
  readonly cursor: string | null;
}

const page = { limit: 100, order: "newest" } as const;

/** Lists the security events and who caused them, newest first. */
export function AuditPage() {
  useTitle("Audit trail");
  const [more, setMore] = useState<Trail | undefined>();
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const first = useLoad("audit", (signal) => call("readAuditTrail", { query: page, signal }));
  if (!isOperator.value) return <OperatorsOnly />;
  const start = first.value && { events: first.value.events, cursor: first.value.nextCursor };
  const trail: Trail | undefined = more ?? start;
  const showMore = async () => {
    if (!trail?.cursor) return;
    const query = { ...page, cursor: trail.cursor };
    const reply = await call("readAuditTrail", { query });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    const { events, nextCursor } = reply.value;
    setMore({ events: [...trail.events, ...events], cursor: nextCursor });
  };
  return (
    <>
      <div class="head">
        <div class="head-text">
          <h1>Audit trail</h1>
          <p class="muted">Every change to what a device may do, newest first.</p>
        </div>
        <a class="button" href={toUrl("/operator/audit", { query: { format: "ndjson" } })} download>
          Download all
        </a>
      </div>
      <div class="stack">
        <ErrorNotice failure={first.failure ?? failure} retry={first.reload} />
        <Card flush>
          {trail === undefined && <Skeleton height={480} />}
          {trail?.events.length === 0 && (
            <EmptyState title="No events yet">
              <p>The first event appears when a gateway registers.</p>
            </EmptyState>
          )}
          {trail && trail.events.length > 0 && (
            <table class="table stacked fixed audit">
              <thead>
                <tr>
                  <th scope="col" class="wide">
                    Event
                  </th>
                  <th scope="col">Device</th>
                  <th scope="col">Actor</th>
                  <th scope="col">Time</th>
                </tr>
              </thead>
              <tbody>
                {trail.events.map((event) => (
                  <Row key={event.id} event={event} />
                ))}
              </tbody>
            </table>
          )}
        </Card>
        {trail?.cursor && (
          <div>
            <button type="button" class="button" onClick={() => void showMore()}>
              Show more
            </button>
          </div>
        )}
      </div>
    </>
  );
}
