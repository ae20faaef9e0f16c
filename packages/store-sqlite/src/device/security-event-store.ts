import type {
  EventFilter,
  SecurityEvent,
  SecurityEventStore,
  StoredSecurityEvent,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import type { Database } from "../database/database.js";

type EventRow = Omit<StoredSecurityEvent, "details"> & { readonly details: string };

interface Page {
  readonly from: number;
  readonly limit: number;
  readonly deviceId: string | null;
  readonly actor: string | null;
}

function toVariant({ deviceId, actor }: EventFilter) {
  if (deviceId === undefined) return actor === undefined ? "all" : "ofActor";
  return actor === undefined ? "ofDevice" : "ofBoth";
}

const toEvent = (row: EventRow): StoredSecurityEvent => ({
  ...row,
  details: JSON.parse(row.details) as SecurityEvent["details"],
});

export function createSecurityEventStore({ database, read }: Connection): SecurityEventStore {
  const select = (place: string, filter: string) =>
    database.prepare<[Page], EventRow>(
      `SELECT id, kind, at, device_id AS deviceId, actor, request_id AS requestId,
         client_address AS clientAddress, details
       FROM security_events WHERE ${filter} ${place} LIMIT @limit`,
    );
  const selectAll = (place: string) => ({
    all: select(place, ""),
    ofDevice: select(place, "device_id = @deviceId AND"),
    ofActor: select(place, "actor = @actor AND"),
    ofBoth: select(place, "device_id = @deviceId AND actor = @actor AND"),
  });
  const after = selectAll("id > @from ORDER BY id");
  const before = selectAll("id < @from ORDER BY id DESC");
  const readPage = (
    statements: typeof after,
    { deviceId, actor, ...range }: EventFilter & { from: number; limit: number },
  ) =>
    read(() => {
      const page = { ...range, deviceId: deviceId ?? null, actor: actor ?? null };
      return statements[toVariant({ deviceId, actor })].all(page).map(toEvent);
    });
  return {
    list: ({ after: from, ...page }) => readPage(after, { ...page, from }),
    newest: ({ before: from, ...page }) => readPage(before, { ...page, from }),
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
