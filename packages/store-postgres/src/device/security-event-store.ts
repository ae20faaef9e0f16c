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
type Page = EventFilter & { readonly from: number; readonly limit: number };

const select = (place: string, filter: string) =>
  statement<Page & { readonly settled: number }, EventRow>(
    `SELECT ${columns} FROM device_gateway.security_events
     WHERE ${filter} id <= @settled AND ${place} LIMIT @limit`,
  );
const selectAll = (place: string) => ({
  all: select(place, ""),
  ofDevice: select(place, "device_id = @deviceId AND"),
  ofActor: select(place, "actor = @actor AND"),
  ofBoth: select(place, "device_id = @deviceId AND actor = @actor AND"),
});
const after = selectAll("id > @from ORDER BY id");
const before = selectAll("id < @from ORDER BY id DESC");

function toVariant({ deviceId, actor }: EventFilter) {
  if (deviceId === undefined) return actor === undefined ? "all" : "ofActor";
  return actor === undefined ? "ofDevice" : "ofBoth";
}

const toEvent = (row: EventRow): StoredSecurityEvent => ({
  ...row,
  details: JSON.parse(row.details) as SecurityEvent["details"],
});

async function readSettled(session: Session): Promise<number> {
  const [ends] = await readEnds(session, {});
  return ends?.settled ?? 0;
}

export function createSecurityEventStore({ read }: Connection): SecurityEventStore {
  const readPage = (statements: typeof after, page: Page) =>
    read(async (session) => {
      const settled = await readSettled(session);
      return (await statements[toVariant(page)](session, { ...page, settled })).map(toEvent);
    });
  return {
    list: ({ after: from, ...page }) => readPage(after, { ...page, from }),
    newest: ({ before: from, ...page }) => readPage(before, { ...page, from }),
  };
}
