import type { SecurityEventKind } from "../audit/security-event.js";
import type { SecurityEventStore, StoredSecurityEvent } from "../audit/security-event-store.js";
import type { ChangeFeed } from "../change/change-feed.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { parseIdCursor, toCursor } from "../shared/page.js";

const pageSize = 200;
const defaultPollMs = 1_000;

/** An item of the event log. Keep its cursor once the item is handled, and continue after it. */
export type FollowedEvent =
  | { readonly kind: "event"; readonly cursor: string; readonly event: StoredSecurityEvent }
  /**
   * Events after the previous cursor may be missing: they were deleted because they are older than `eventRetentionDays`, or
   * the database failed over to a server that lacked some, or a backup was restored.
   */
  | { readonly kind: "gap"; readonly cursor: string };

export interface FollowOptions {
  /** The cursor of the last item that was handled. Null: from the oldest event on. Default: only events from now on. */
  readonly after?: string | null;
  /** Default: all kinds. */
  readonly kinds?: readonly SecurityEventKind[];
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** How often to ask the store when there is nothing new, in milliseconds. 10 or more, default 1,000. */
  readonly pollMs?: number;
}

/** Follows the event log of all processes. */
export type FollowEvents = (options?: FollowOptions) => AsyncIterable<FollowedEvent>;

type Events = Pick<SecurityEventStore, "list" | "newest" | "prunedUpTo">;

export interface FollowSources {
  readonly securityEvents: Events;
  readonly changes: Pick<ChangeFeed, "since">;
}

/** Waits. Ends early when the signal aborts. */
const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted === true) end();
  });

function parsePosition(after: string): number {
  const position = parseIdCursor(after, 0);
  if (position.isOk()) return position.value;
  throw new TypeError("followEvents: `after` is not a cursor that followEvents returned.");
}

async function readNewest(events: Events): Promise<number> {
  const [newest] = await events.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 });
  return newest?.id ?? 0;
}

/**
 * Returns where to continue from a position. A position beyond the end of the log comes from a history that the store no
 * longer has, and new events get ids below it. The follower then continues at the end of the log.
 */
async function withinLog(events: Events, position: number): Promise<number> {
  const end = Math.max(await readNewest(events), await events.prunedUpTo());
  return Math.min(position, end);
}

/** Returns null while the store cannot answer. */
async function nullWhileUnavailable<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof StoreUnavailableError) return null;
    throw error;
  }
}

export const createFollowEvents = ({
  securityEvents: events,
  changes,
}: FollowSources): FollowEvents =>
  async function* follow({ after, kinds, signal, pollMs = defaultPollMs } = {}) {
    let position =
      typeof after === "string" ? parsePosition(after) : after === null ? 0 : undefined;
    /** Whether events after the position may have been deleted before they were read. */
    let mayHaveGap = typeof after === "string";
    /** The cursor of the change feed, which knows whether the store has the history that was read so far. */
    let feed: string | null = null;
    const isAborted = () => signal?.aborted === true;
    while (!isAborted()) {
      const page = await nullWhileUnavailable(async () => {
        position ??= await readNewest(events);
        const query = { after: position, limit: pageSize, ...(kinds && { kinds }) };
        const found = await events.list(query);
        // Both are read after the page: what happens in between then causes an unnecessary gap, and never a missing one.
        const outcome = await changes.since(feed);
        const isReset = outcome.kind === "reset" && (feed !== null || mayHaveGap);
        const within = isReset ? await withinLog(events, position) : position;
        const wasPruned = mayHaveGap && (await events.prunedUpTo()) > position;
        const hasGap = wasPruned || within < position || (isReset && feed !== null);
        feed = outcome.cursor;
        const isMoved = within < position;
        position = within;
        return { position, found: isMoved ? [] : found, hasGap };
      });
      if (page?.hasGap) yield { kind: "gap", cursor: toCursor(String(page.position)) };
      if (page !== null) mayHaveGap = false;
      for (const event of page?.found ?? []) {
        if (isAborted()) return;
        position = event.id;
        yield { kind: "event", cursor: toCursor(String(event.id)), event };
      }
      if ((page?.found.length ?? 0) < pageSize) await wait(Math.max(10, pollMs), signal);
    }
  };
