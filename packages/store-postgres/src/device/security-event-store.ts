import {
  type EventFilter,
  eventKinds,
  type SecurityEvent,
  type SecurityEventStore,
  type StoredSecurityEvent,
} from "@device-gateway/core/store";
import { endsOf } from "../database/changes/commit-order.js";
import { lineage } from "../database/changes/lineage.js";
import type { Connection } from "../database/connection/connection.js";
import { countOf, type Session, statement } from "../database/statement.js";

type EventRow = Omit<StoredSecurityEvent, "details"> & { readonly details: string };

interface Ends {
  readonly newest: number;
  readonly settled: number;
  readonly lineage: string | null;
}

const readEnds = statement<object, Ends>(
  `SELECT ends.*, ${lineage} AS lineage FROM (${endsOf("transition_ids")}) AS ends`,
);
const columns = `id, kind, at, device_id AS "deviceId", actor, request_id AS "requestId",
  client_address AS "clientAddress", details`;

interface Page {
  /** The ids are above `low`, and at most `high`. */
  readonly low: number;
  readonly high: number;
  readonly limit: number;
  readonly deviceId: string | null;
  readonly actor: string | null;
  readonly kinds: readonly string[];
}

/** Creates the statements of pages in one direction. */
function pagesIn(order: "ASC" | "DESC") {
  /**
   * Reads at most `limit` events of each kind, however many events of other kinds are between them. Only the index of
   * these columns has this order. With equalities, Postgres may choose the primary key and read all events.
   */
  const select = (names: readonly string[], values: string) =>
    statement<Page, EventRow>(
      `SELECT ${columns} FROM (SELECT DISTINCT unnest(@kinds::text[]) AS name) AS wanted,
         LATERAL (SELECT * FROM device_gateway.security_events
           WHERE (${names.join()}, id) > (${values}, @low)
             AND (${names.join()}, id) <= (${values}, @high)
           ORDER BY ${[...names, "id"].map((name) => `${name} ${order}`).join()} LIMIT @limit
         ) AS found
       ORDER BY id ${order} LIMIT @limit`,
    );
  return {
    all: statement<Page, EventRow>(
      `SELECT ${columns} FROM device_gateway.security_events
       WHERE id > @low AND id <= @high ORDER BY id ${order} LIMIT @limit`,
    ),
    ofKinds: select(["kind"], "wanted.name"),
    ofDevice: select(["device_id", "kind"], "@deviceId, wanted.name"),
    ofActor: select(["actor", "kind"], "@actor, wanted.name"),
    ofBoth: select(["device_id", "actor", "kind"], "@deviceId, @actor, wanted.name"),
  };
}

const pages = { ASC: pagesIn("ASC"), DESC: pagesIn("DESC") };

function toVariant({ deviceId, actor, kinds }: EventFilter) {
  if (deviceId !== undefined) return actor === undefined ? "ofDevice" : "ofBoth";
  if (actor !== undefined) return "ofActor";
  return kinds === undefined ? "all" : "ofKinds";
}

const prune = statement<{ kind: string; before: number; limit: number }, { count: number }>(
  "SELECT device_gateway.prune_events(@kind::text, @before::bigint, @limit::bigint) AS count",
);
const prunedUpTo = statement<object, { upTo: number }>(
  `SELECT up_to AS "upTo" FROM device_gateway.pruned_events`,
);

const toEvent = (row: EventRow): StoredSecurityEvent => ({
  ...row,
  details: JSON.parse(row.details) as SecurityEvent["details"],
});

/**
 * Creates a read of the id up to which no event will be added. It does not step back: a transaction that marks an id late takes
 * higher ids than any that was settled before, unless the server was replaced or its data restored meanwhile.
 */
function createSettledRead(): (session: Session) => Promise<number> {
  const none: Ends = { newest: 0, settled: 0, lineage: null };
  let highest = none;
  return async (session) => {
    // A read that begins later may end earlier, so what it found says nothing about this one.
    const before = highest;
    const [ends = none] = await readEnds(session, {});
    const { newest, settled } = ends;
    const isKept =
      ends.lineage !== null && ends.lineage === highest.lineage && before.settled <= newest;
    if (!isKept || settled > highest.settled) highest = ends;
    return highest.settled;
  };
}

export function createSecurityEventStore({ read, change }: Connection): SecurityEventStore {
  const readSettled = createSettledRead();
  const readPage = (
    order: "ASC" | "DESC",
    filter: EventFilter,
    rangeUpTo: (settled: number) => Pick<Page, "low" | "high" | "limit">,
  ) =>
    read(async (session) => {
      const range = rangeUpTo(await readSettled(session));
      const { deviceId = null, actor = null, kinds = eventKinds } = filter;
      const readRows = pages[order][toVariant(filter)];
      return (await readRows(session, { ...range, deviceId, actor, kinds })).map(toEvent);
    });
  return {
    list: ({ after: low, limit, ...filter }) =>
      readPage("ASC", filter, (high) => ({ low, high, limit })),
    newest: ({ before, limit, ...filter }) =>
      readPage("DESC", filter, (end) => ({ low: 0, high: Math.min(end, before - 1), limit })),
    prune: (input) => change(async (session) => countOf(await prune(session, input))),
    prunedUpTo: () =>
      read(async (session) => {
        const [row] = await prunedUpTo(session, {});
        return row?.upTo ?? 0;
      }),
  };
}
