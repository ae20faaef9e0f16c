import type {
  SecurityEvent,
  SecurityEventStore,
  StoredSecurityEvent,
} from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import type { Connection } from "./connection.js";

type EventRow = Omit<StoredSecurityEvent, "details"> & { readonly details: string };

export function createSecurityEventStore({ database, read }: Connection): SecurityEventStore {
  const list = database.prepare<[number, number], EventRow>(
    `SELECT id, kind, at, device_id AS deviceId, actor, request_id AS requestId,
       client_address AS clientAddress, details
     FROM security_events WHERE id > ? ORDER BY id LIMIT ?`,
  );
  return {
    list: ({ after, limit }) =>
      read(() =>
        list.all(after, limit).map((row) => ({
          ...row,
          details: JSON.parse(row.details) as SecurityEvent["details"],
        })),
      ),
  };
}

/** Prepares what writes an event inside the transaction of the transition that it tells of. */
export function prepareEventWriter(database: Database): (event: SecurityEvent) => void {
  const insert = database.prepare<[Omit<EventRow, "id">]>(
    `INSERT INTO security_events (kind, at, device_id, actor, request_id, client_address, details)
     VALUES (@kind, @at, @deviceId, @actor, @requestId, @clientAddress, @details)`,
  );
  return (event) => void insert.run({ ...event, details: JSON.stringify(event.details) });
}
