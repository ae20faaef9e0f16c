import type {
  SecurityEvent,
  SecurityEventStore,
  StoredSecurityEvent,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import type { Database } from "../database/database.js";

type EventRow = Omit<StoredSecurityEvent, "details"> & { readonly details: string };

const toEvent = (row: EventRow): StoredSecurityEvent => ({
  ...row,
  details: JSON.parse(row.details) as SecurityEvent["details"],
});

export function createSecurityEventStore({ database, read }: Connection): SecurityEventStore {
  const select = (rest: string) =>
    database.prepare<[number, number], EventRow>(
      `SELECT id, kind, at, device_id AS deviceId, actor, request_id AS requestId,
         client_address AS clientAddress, details
       FROM security_events ${rest} LIMIT ?`,
    );
  const after = select("WHERE id > ? ORDER BY id");
  const before = select("WHERE id < ? ORDER BY id DESC");
  return {
    list: (page) => read(() => after.all(page.after, page.limit).map(toEvent)),
    newest: (page) => read(() => before.all(page.before, page.limit).map(toEvent)),
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
