import type {
  EventFilter,
  SecurityEvent,
  SecurityEventStore,
  StoredSecurityEvent,
} from "@device-gateway/core/store";
import { endsOf } from "../database/commit-order.js";
import type { Connection } from "../database/connection.js";
import { type Session, statement } from "../database/statement.js";

type EventRow = Omit<StoredSecurityEvent, "details"> & { readonly details: string };

const readEnds = statement<object, { settled: number }>(endsOf("transition_ids"));
const columns = `id, kind, at, device_id AS "deviceId", actor, request_id AS "requestId",
  client_address AS "clientAddress", details`;

interface Page {
  readonly from: number;
  readonly limit: number;
  readonly deviceId: string | null;
  readonly actor: string | null;
  /** Null: all kinds. */
  readonly kinds: readonly string[] | null;
}

const ofKinds = "(@kinds::text[] IS NULL OR kind = ANY (@kinds::text[]))";

/** Creates the statements of pages in one direction. */
function pagesIn(place: string, order: "ASC" | "DESC") {
  const end = `id <= @settled AND ${place} ORDER BY id ${order} LIMIT @limit`;
  const select = (filter: string) =>
    statement<Page & { readonly settled: number }, EventRow>(
      `SELECT ${columns} FROM device_gateway.security_events WHERE ${filter} ${end}`,
    );
  return {
    all: select(""),
    ofDevice: select(`device_id = @deviceId AND ${ofKinds} AND`),
    ofActor: select(`actor = @actor AND ${ofKinds} AND`),
    ofBoth: select(`device_id = @deviceId AND actor = @actor AND ${ofKinds} AND`),
    // Reads at most `limit` events of each kind, however many events of other kinds are between them.
    ofKinds: statement<Page & { readonly settled: number }, EventRow>(
      `SELECT ${columns} FROM (SELECT DISTINCT unnest(@kinds::text[]) AS name) AS wanted,
         LATERAL (SELECT * FROM device_gateway.security_events
           WHERE kind = wanted.name AND ${end}) AS found
       ORDER BY id ${order} LIMIT @limit`,
    ),
  };
}

const after = pagesIn("id > @from", "ASC");
const before = pagesIn("id < @from", "DESC");

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

async function readSettled(session: Session): Promise<number> {
  const [ends] = await readEnds(session, {});
  return ends?.settled ?? 0;
}

export function createSecurityEventStore({ read, change }: Connection): SecurityEventStore {
  const readPage = (
    pages: typeof after,
    filter: EventFilter,
    range: Pick<Page, "from" | "limit">,
  ) =>
    read(async (session) => {
      const settled = await readSettled(session);
      const { deviceId = null, actor = null, kinds = null } = filter;
      const readRows = pages[toVariant(filter)];
      return (await readRows(session, { ...range, deviceId, actor, kinds, settled })).map(toEvent);
    });
  return {
    list: ({ after: from, limit, ...filter }) => readPage(after, filter, { from, limit }),
    newest: ({ before: from, limit, ...filter }) => readPage(before, filter, { from, limit }),
    prune: (input) =>
      change(async (session) => {
        const [row] = await prune(session, input);
        return row?.count ?? 0;
      }),
    prunedUpTo: () =>
      read(async (session) => {
        const [row] = await prunedUpTo(session, {});
        return row?.upTo ?? 0;
      }),
  };
}
