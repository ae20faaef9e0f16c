import type {
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
const list = statement<{ after: number; settled: number; limit: number }, EventRow>(
  `SELECT ${columns} FROM device_gateway.security_events
   WHERE id > @after AND id <= @settled ORDER BY id LIMIT @limit`,
);
const newest = statement<{ before: number; settled: number; limit: number }, EventRow>(
  `SELECT ${columns} FROM device_gateway.security_events
   WHERE id < @before AND id <= @settled ORDER BY id DESC LIMIT @limit`,
);

const toEvent = (row: EventRow): StoredSecurityEvent => ({
  ...row,
  details: JSON.parse(row.details) as SecurityEvent["details"],
});

async function readSettled(session: Session): Promise<number> {
  const [ends] = await readEnds(session, {});
  return ends?.settled ?? 0;
}

export function createSecurityEventStore({ read }: Connection): SecurityEventStore {
  return {
    list: (page) =>
      read(async (session) => {
        const settled = await readSettled(session);
        return (await list(session, { ...page, settled })).map(toEvent);
      }),
    newest: (page) =>
      read(async (session) => {
        const settled = await readSettled(session);
        return (await newest(session, { ...page, settled })).map(toEvent);
      }),
  };
}
