import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { AuditEvent } from "../contract/index.js";
import type { Failure } from "../failure.js";
import { badCursor, type PageQuery, parseCursor, toCursor } from "../page.js";
import { toTimestamp } from "../timestamp.js";
import type { StoredSecurityEvent } from "./security-event-store.js";

/** Events that an export reads at a time. */
const exportPage = 500;

export interface AuditPage {
  readonly events: AuditEvent[];
  readonly nextCursor: string | null;
}

const toAuditEvent = (event: StoredSecurityEvent): AuditEvent => ({
  ...event,
  at: toTimestamp(event.at),
  details: { ...event.details },
});

function positionOf(cursor: string | undefined): Result<number, Failure<"invalid_request">> {
  return parseCursor(cursor, "0").andThen((text) => {
    const id = Number(text);
    return Number.isSafeInteger(id) && id >= 0 ? ok(id) : err(badCursor);
  });
}

/** Reads a page of the audit trail, oldest first (contract §8). */
export async function readAuditTrail(
  { store }: GatewayContext,
  { limit, cursor }: PageQuery,
): Promise<Result<AuditPage, Failure<"invalid_request">>> {
  const after = positionOf(cursor);
  if (after.isErr()) return err(after.error);
  const events = await store.securityEvents.list({ after: after.value, limit: limit + 1 });
  const page = events.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = events.length > limit && last ? toCursor(String(last.id)) : null;
  return ok({ events: page.map(toAuditEvent), nextCursor });
}

async function* linesAfter({ store }: GatewayContext, start: number): AsyncGenerator<string> {
  let after = start;
  for (;;) {
    const events = await store.securityEvents.list({ after, limit: exportPage });
    for (const event of events) yield `${JSON.stringify(toAuditEvent(event))}\n`;
    const last = events.at(-1);
    if (last === undefined || events.length < exportPage) return;
    after = last.id;
  }
}

/** Exports the audit trail from a cursor on as NDJSON, however long it is. */
export function exportAuditTrail(
  context: GatewayContext,
  cursor: string | undefined,
): Result<AsyncIterable<string>, Failure<"invalid_request">> {
  return positionOf(cursor).map((after) => linesAfter(context, after));
}
