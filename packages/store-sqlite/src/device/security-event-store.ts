import {
  type EventFilter,
  eventKinds,
  type SecurityEvent,
  type SecurityEventStore,
  type StoredSecurityEvent,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import type { Database } from "../database/database.js";

type EventRow = Omit<StoredSecurityEvent, "details"> & { readonly details: string };

type Range = { readonly from: number; readonly limit: number };

interface KindPage extends Range {
  readonly kind: string;
  readonly deviceId: string | null;
  readonly actor: string | null;
}

const toEvent = (row: EventRow): StoredSecurityEvent => ({
  ...row,
  details: JSON.parse(row.details) as SecurityEvent["details"],
});

const columns = `id, kind, at, device_id AS deviceId, actor, request_id AS requestId,
  client_address AS clientAddress, details`;

function toVariant({ deviceId, actor, kinds }: EventFilter) {
  if (deviceId !== undefined) return actor === undefined ? "ofDevice" : "ofBoth";
  if (actor !== undefined) return "ofActor";
  return kinds === undefined ? "all" : "ofKinds";
}

/** Prepares pages in one direction. */
function preparePages(database: Database, place: string, order: "ASC" | "DESC") {
  const end = `${place} ORDER BY id ${order} LIMIT @limit`;
  const selectIds = (filter: string) =>
    database
      .prepare<[KindPage], number>(
        `SELECT id FROM security_events WHERE ${filter} kind = @kind AND ${end}`,
      )
      .pluck();
  const variants = {
    ofKinds: selectIds(""),
    ofDevice: selectIds("device_id = @deviceId AND"),
    ofActor: selectIds("actor = @actor AND"),
    ofBoth: selectIds("device_id = @deviceId AND actor = @actor AND"),
  };
  const all = database.prepare<[Range], EventRow>(
    `SELECT ${columns} FROM security_events WHERE ${end}`,
  );
  const byIds = database.prepare<[string], EventRow>(
    `SELECT ${columns} FROM security_events
     WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id ${order}`,
  );
  const sign = order === "ASC" ? 1 : -1;

  /** Reads at most `limit` ids of each kind, however many events of other kinds are between them. */
  return (filter: EventFilter, range: Range): EventRow[] => {
    const { deviceId = null, actor = null, kinds = eventKinds } = filter;
    const variant = toVariant(filter);
    if (variant === "all") return all.all(range);
    const ids = [...new Set(kinds)].flatMap((kind) =>
      variants[variant].all({ ...range, kind, deviceId, actor }),
    );
    ids.sort((a, b) => sign * (a - b));
    return byIds.all(JSON.stringify(ids.slice(0, range.limit)));
  };
}

export function createSecurityEventStore({
  database,
  read,
  write,
}: Connection): SecurityEventStore {
  const readAfter = preparePages(database, "id > @from", "ASC");
  const readBefore = preparePages(database, "id < @from", "DESC");
  const prune = database
    .prepare<[string, number, number], number>(
      `DELETE FROM security_events WHERE id IN (
         SELECT id FROM (SELECT id, at FROM security_events WHERE kind = ? ORDER BY id LIMIT ?)
         WHERE at < ?
       ) RETURNING id`,
    )
    .pluck();
  const remember = database.prepare<[number]>("UPDATE pruned_events SET up_to = max(up_to, ?)");
  const prunedUpTo = database.prepare<[], number>("SELECT up_to FROM pruned_events").pluck();
  return {
    list: ({ after: from, limit, ...filter }) =>
      read(() => readAfter(filter, { from, limit }).map(toEvent)),
    newest: ({ before: from, limit, ...filter }) =>
      read(() => readBefore(filter, { from, limit }).map(toEvent)),
    prune: ({ kind, before, limit }) =>
      write(() => {
        const ids = prune.all(kind, limit, before);
        for (const id of ids) remember.run(id);
        return ids.length;
      }),
    prunedUpTo: () => read(() => prunedUpTo.get() as number),
  };
}

/** Prepares the insert of a security event. Run it in the transaction that makes the change. */
export function prepareEventWriter(database: Database): (event: SecurityEvent) => void {
  const insert = database.prepare<[Omit<EventRow, "id">]>(
    `INSERT INTO security_events (kind, at, device_id, actor, request_id, client_address, details)
     VALUES (@kind, @at, @deviceId, @actor, @requestId, @clientAddress, @details)`,
  );
  return (event) => void insert.run({ ...event, details: JSON.stringify(event.details) });
}
