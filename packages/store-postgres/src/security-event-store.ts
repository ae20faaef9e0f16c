import type {
  SecurityEvent,
  SecurityEventStore,
  StoredSecurityEvent,
} from "@device-gateway/core/store";
import { endsOf } from "./commit-order.js";
import type { Connection } from "./connection.js";
import { statement } from "./statement.js";

type EventRow = Omit<StoredSecurityEvent, "details"> & { readonly details: string };

const readEnds = statement<object, { settled: number }>(endsOf("transition_ids"));
const list = statement<{ after: number; settled: number; limit: number }, EventRow>(
  `SELECT id, kind, at, device_id AS "deviceId", actor, request_id AS "requestId",
     client_address AS "clientAddress", details
   FROM device_gateway.security_events WHERE id > @after AND id <= @settled ORDER BY id LIMIT @limit`,
);

export function createSecurityEventStore({ read }: Connection): SecurityEventStore {
  return {
    list: ({ after, limit }) =>
      read(async (session) => {
        const [ends] = await readEnds(session, {});
        const rows = await list(session, { after, settled: ends?.settled ?? 0, limit });
        return rows.map((row) => ({
          ...row,
          details: JSON.parse(row.details) as SecurityEvent["details"],
        }));
      }),
  };
}
