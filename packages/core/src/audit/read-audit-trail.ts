import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { AuditEvent } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import { nextTurn } from "../shared/next-turn.js";
import { type PageQuery, parseIdCursor, toPage } from "../shared/page.js";
import { toTimestamp } from "../shared/timestamp.js";
import { auditKinds, eventKinds, type SecurityEventKind } from "./security-event.js";
import type {
  EventFilter,
  SecurityEventStore,
  StoredSecurityEvent,
} from "./security-event-store.js";

/** An export reads this many events from the store in one turn of the event loop. */
const exportPage = 100;

export interface AuditPage {
  readonly events: AuditEvent[];
  readonly nextCursor: string | null;
}

export type AuditOrder = "oldest" | "newest";

export interface AuditQuery extends PageQuery, Omit<EventFilter, "kinds"> {
  readonly order: AuditOrder;
  /** Comma-separated kinds, or `all`. Undefined: the kinds of the audit trail. */
  readonly kinds?: string | undefined;
}

type Kinds = readonly SecurityEventKind[];

function parseKinds(text: string | undefined): Result<Kinds, Failure<"invalid_request">> {
  if (text === undefined) return ok(auditKinds);
  if (text === "all") return ok(eventKinds);
  const wanted = text.split(",").map((kind) => kind.trim());
  const unknown = wanted.find((kind) => !(eventKinds as readonly string[]).includes(kind));
  if (unknown === undefined) return ok(wanted as Kinds);
  const message = `Send kinds of events, separated by commas, or "all". The kinds are ${eventKinds.join(", ")}`;
  return err({ code: "invalid_request", errors: [{ path: "kinds", code: "invalid", message }] });
}

/** Reads the trail in one order, from its start or from an id. */
interface Reader {
  readonly start: number;
  read(
    events: SecurityEventStore,
    filter: EventFilter,
    from: number,
    limit: number,
  ): Promise<readonly StoredSecurityEvent[]>;
}

const readers: Readonly<Record<AuditOrder, Reader>> = {
  oldest: {
    start: 0,
    read: (events, filter, after, limit) =>
      events.list({ ...filter, after, limit, complete: true }),
  },
  newest: {
    start: Number.MAX_SAFE_INTEGER,
    read: (events, filter, before, limit) =>
      events.newest({ ...filter, before, limit, complete: true }),
  },
};

const toAuditEvent = (event: StoredSecurityEvent): AuditEvent => ({
  ...event,
  at: toTimestamp(event.at),
  details: { ...event.details },
});

/** Returns one page of the audit trail (§8). */
export async function readAuditTrail(
  { store }: GatewayContext,
  { limit, cursor, order, deviceId, actor, kinds: wanted }: AuditQuery,
): Promise<Result<AuditPage, Failure<"invalid_request">>> {
  const { start, read } = readers[order];
  const from = parseIdCursor(cursor, start);
  if (from.isErr()) return err(from.error);
  const kinds = parseKinds(wanted);
  if (kinds.isErr()) return err(kinds.error);
  const filter = { deviceId, actor, kinds: kinds.value };
  const found = await read(store.securityEvents, filter, from.value, limit + 1);
  const { page, nextCursor } = toPage(found, limit, ({ id }) => String(id));
  return ok({ events: page.map(toAuditEvent), nextCursor });
}

async function* linesFrom(
  { store }: GatewayContext,
  order: AuditOrder,
  filter: EventFilter,
  start: number,
): AsyncGenerator<string> {
  let from = start;
  for (;;) {
    const events = await readers[order].read(store.securityEvents, filter, from, exportPage);
    for (const event of events) yield `${JSON.stringify(toAuditEvent(event))}\n`;
    const last = events.at(-1);
    if (last === undefined || events.length < exportPage) return;
    from = last.id;
    await nextTurn();
  }
}

/** Streams the audit trail as NDJSON, from a cursor to the end (§8). */
export function exportAuditTrail(
  context: GatewayContext,
  { cursor, order, deviceId, actor, kinds: wanted }: Omit<AuditQuery, "limit">,
): Result<AsyncIterable<string>, Failure<"invalid_request">> {
  return parseKinds(wanted).andThen((kinds) =>
    parseIdCursor(cursor, readers[order].start).map((from) =>
      linesFrom(context, order, { deviceId, actor, kinds }, from),
    ),
  );
}
