import {
  bytesPerTurn,
  type FollowedPage,
  type FollowedRecord,
  fromFollowCursor,
  type RecordRow,
  recordBytes,
  type TelemetryStore,
  toFollowCursor,
} from "@device-gateway/core/store";
import { lineageRow, onPrimary } from "../database/changes/lineage.js";
import { type Session, statement } from "../database/statement.js";
import { cutPage } from "./cut-page.js";
import { readEnds } from "./positions.js";
import { toRecord } from "./record-rows.js";
import type { ShapeRows } from "./shapes/shape-rows.js";

/** A record with its device, or nulls if the device is erased. */
type FollowedRow = RecordRow & {
  readonly deviceId: string | null;
  readonly targetHardware: string | null;
};

/**
 * Positions that one statement searches: partitions from before version 10 of the schema have no index by position, and
 * sort what they find. If nothing is found, the next statement searches twice as many.
 */
const firstSpan = 4_096;
const longestSpan = 65_536;
/** Statements of one call, so that it ends in time. The caller continues from the returned cursor. */
const searches = 16;

const pageAfter = cutPage({
  query: `SELECT position, at, received_at, seq, device, shape, content FROM device_gateway.telemetry
          WHERE position > @after AND position <= @to ORDER BY position LIMIT @limit`,
  order: "position",
  bytes: bytesPerTurn,
  bytesPerRow: recordBytes,
});
// A page ends at `limit` rows, or at what one turn of the event loop may unpack. Without rows, there is one with nulls, for
// the lineage. On Citus, the worker runs what is materialized. Otherwise the coordinator would run the joins,
// on copies of whole tables.
const rowsBetween = statement<
  { after: number; to: number; limit: number },
  { readonly lineage: string | null } & (FollowedRow | { readonly position: null })
>(
  `WITH found AS MATERIALIZED (
     SELECT s.position, s.at, s.received_at AS "receivedAt", s.seq, s.shape, s.content,
       d.device_id AS "deviceId", d.target_hardware AS "targetHardware"
     FROM (${pageAfter}) AS s
     LEFT JOIN device_gateway.device_activity AS a ON a.number = s.device
     LEFT JOIN device_gateway.devices AS d ON d.device_id = a.device_id
   )
   SELECT here.lineage, found.* FROM ${lineageRow} AS here LEFT JOIN found ON true
   ORDER BY found.position`,
);

interface FoundRows {
  readonly rows: readonly FollowedRow[];
  /** The position up to which there are no other rows. */
  readonly end: number;
}

async function findRows(session: Session, after: number, limit: number): Promise<FoundRows> {
  const { newest, settled, lineage } = await readEnds(session);
  // After a failover to a standby that was behind, positions are given again.
  let from = after > newest ? settled : after;
  let span = firstSpan;
  for (let search = 0; search < searches && from < settled; search++) {
    const to = Math.min(settled, from + span);
    const found = await rowsBetween(session, { after: from, to, limit });
    // A proxy may have sent the statement to another server, whose rows may lack some up to `settled`.
    onPrimary(found[0]?.lineage === lineage ? lineage : null);
    const rows = found.flatMap((row) => (row.position === null ? [] : row));
    const last = rows.at(-1);
    if (last !== undefined) return { rows, end: last.position };
    from = to;
    span = Math.min(2 * span, longestSpan);
  }
  return { rows: [], end: from };
}

/** Reads the records of all devices after a cursor. */
export async function followRecords(
  session: Session,
  shapes: ShapeRows,
  { after, limit }: Parameters<TelemetryStore["follow"]>[0],
): Promise<FollowedPage> {
  const from = fromFollowCursor(after);
  let end = from;
  const page = await shapes.readRecords(session, async () => {
    const found = await findRows(session, from, limit);
    end = found.end;
    return found.rows;
  });
  const records = page.rows.flatMap((row): FollowedRecord | readonly [] => {
    const { deviceId, targetHardware } = row;
    if (deviceId === null || targetHardware === null) return [];
    return { deviceId, targetHardware, ...toRecord(page.shapes, row) };
  });
  return { records, next: toFollowCursor(end) };
}
