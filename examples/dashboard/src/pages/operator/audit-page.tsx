import type { AuditEvent } from "@device-gateway/core/contract";
import { useEffect, useState } from "preact/hooks";
import { type CallFailure, call, toUrl } from "../../api/call.js";
import { emails, findEmails, findUserId } from "../../api/people.js";
import { devicePath, Link, place, setQuery } from "../../router.js";
import { isOperator } from "../../session.js";
import * as auditText from "../../text/audit.js";
import { formatTime } from "../../ui/format.js";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { useLoad } from "../../ui/use-load.js";
import { describeDetails } from "./describe-details.js";
import { OperatorsOnly } from "./operators-only.js";

const Row = ({ event }: { event: AuditEvent }) => (
  <tr>
    <td class="name">
      <strong>{event.kind.replaceAll("_", " ")}</strong>
      <div class="small muted break">{describeDetails(event.details)}</div>
    </td>
    <td class="small cut">
      {event.deviceId && <Link to={devicePath(event.deviceId)}>{event.deviceId}</Link>}
    </td>
    <td class="small muted cut who" title={event.actor}>
      <Link to={`/audit?${new URLSearchParams({ actor: event.actor })}`}>
        {emails.value.get(event.actor) ?? event.actor}
      </Link>
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

interface FilterProps {
  readonly device: string | undefined;
  readonly actor: string | undefined;
}

interface AuditFilterProps extends FilterProps {
  /** Reads the events again, because the search is the same. */
  readonly onRepeat: () => void;
}

/** Finds the events of a device, or of the user with an e-mail address. */
function AuditFilter({ device, actor, onRepeat }: AuditFilterProps) {
  const [problem, setProblem] = useState<string | undefined>();
  const search = (next: FilterProps) => {
    if (next.device === device && next.actor === actor) onRepeat();
    else setQuery({ ...next });
  };
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get("text")).trim();
    setProblem(undefined);
    if (!text.includes("@")) {
      search({ device: text || undefined, actor: undefined });
      return;
    }
    const id = await findUserId(text);
    if (id) search({ device: undefined, actor: id });
    else setProblem(id === null ? auditText.noSuchAccount : auditText.serverUnreachable);
  };
  const shown = device ?? (actor === undefined ? "" : (emails.value.get(actor) ?? actor));
  return (
    <form class="toolbar" onSubmit={(event) => void onSubmit(event)}>
      <input
        key={shown}
        type="search"
        name="text"
        class="input search"
        aria-label={auditText.deviceIdOrEmail}
        placeholder={auditText.deviceIdOrEmail}
        defaultValue={shown}
      />
      <button type="submit" class="button">
        {auditText.showEvents}
      </button>
      {shown !== "" && (
        <button
          type="button"
          class="button quiet"
          onClick={() => setQuery({ device: undefined, actor: undefined })}
        >
          {auditText.allEvents}
        </button>
      )}
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}

/** Lists the security events and who caused them, newest first. */
export function AuditPage() {
  const { query } = place.value;
  const device = query.get("device") ?? undefined;
  const actor = query.get("actor") ?? undefined;
  // The key starts again without the pages of another search.
  return <Events key={`${device} ${actor}`} device={device} actor={actor} />;
}

function Events({ device, actor }: FilterProps) {
  useTitle(auditText.auditTrail);
  const [more, setMore] = useState<Trail | undefined>();
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const filter = { deviceId: device, actor };
  const first = useLoad("audit", (signal) =>
    call("readAuditTrail", { query: { ...page, ...filter }, signal }),
  );
  const events = more?.events ?? first.value?.events;
  useEffect(() => {
    const actors = [...(events ?? []).map((event) => event.actor), ...(actor ? [actor] : [])];
    void findEmails(actors);
  }, [events, actor]);
  if (!isOperator.value) return <OperatorsOnly />;
  const start = first.value && { events: first.value.events, cursor: first.value.nextCursor };
  const trail: Trail | undefined = more ?? start;
  const readAgain = () => {
    setMore(undefined);
    setFailure(undefined);
    first.reload();
  };
  const showMore = async () => {
    if (!trail?.cursor) return;
    const query = { ...page, ...filter, cursor: trail.cursor };
    const reply = await call("readAuditTrail", { query });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    const { nextCursor } = reply.value;
    setMore({ events: [...trail.events, ...reply.value.events], cursor: nextCursor });
  };
  return (
    <>
      <div class="head">
        <div class="head-text">
          <h1>{auditText.auditTrail}</h1>
          <p class="muted">{auditText.auditHint}</p>
        </div>
        <a
          class="button"
          href={toUrl("/operator/audit", { query: { format: "ndjson", ...filter } })}
          download
        >
          {device === undefined && actor === undefined
            ? auditText.downloadAll
            : auditText.downloadThese}
        </a>
      </div>
      <div class="stack">
        <ErrorNotice failure={first.failure} retry={first.reload} />
        <Card flush>
          <AuditFilter device={device} actor={actor} onRepeat={readAgain} />
          {trail === undefined && <Skeleton height={480} />}
          {trail?.events.length === 0 && (
            <EmptyState
              title={
                device === undefined && actor === undefined
                  ? auditText.noEventsYet
                  : auditText.noEventsFound
              }
            >
              <p>
                {device === undefined && actor === undefined
                  ? auditText.firstEventHint
                  : auditText.checkSearch}
              </p>
            </EmptyState>
          )}
          {trail && trail.events.length > 0 && (
            <table class="table stacked fixed audit">
              <thead>
                <tr>
                  <th scope="col" class="wide">
                    {auditText.event}
                  </th>
                  <th scope="col">{auditText.device}</th>
                  <th scope="col" class="who">
                    {auditText.actor}
                  </th>
                  <th scope="col">{auditText.time}</th>
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
        <ErrorNotice failure={failure} retry={() => void showMore()} />
        {trail?.cursor && (
          <div>
            <button type="button" class="button" onClick={() => void showMore()}>
              {auditText.showMore}
            </button>
          </div>
        )}
      </div>
    </>
  );
}
