import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { AuditEvent } from "../contract/index.js";
import type { Failure } from "../failure.js";
import { type PageQuery, parseIdCursor, toPage } from "../page.js";
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

/** Reads a page of the audit trail, oldest first (contract §8). */
export async function readAuditTrail(
  { store }: GatewayContext,
  { limit, cursor }: PageQuery,
): Promise<Result<AuditPage, Failure<"invalid_request">>> {
  const after = parseIdCursor(cursor, 0);
  if (after.isErr()) return err(after.error);
  const found = await store.securityEvents.list({ after: after.value, limit: limit + 1 });
  const { page, nextCursor } = toPage(found, limit, ({ id }) => String(id));
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
  return parseIdCursor(cursor, 0).map((after) => linesAfter(context, after));
}
