import { bucketStart, type TelemetryRecord } from "@device-gateway/core/store";
import { hourMs } from "./open-hours.js";
import { type Content, toText } from "./shape-rows.js";
import type { UseNotes } from "./shape-uses.js";
import { type Session, statement } from "./statement.js";

/** A record with what its row will hold of it. */
export interface PackedRecord {
  readonly device: number;
  readonly receivedAt: number;
  readonly record: TelemetryRecord;
  readonly content: Content;
}

interface Columns {
  readonly times: readonly number[];
  readonly received: readonly number[];
  readonly seqs: readonly (number | null)[];
  readonly devices: readonly number[];
  readonly shapes: readonly (number | null)[];
  readonly timed: readonly boolean[];
  readonly contents: readonly Uint8Array[];
  readonly hours: readonly number[];
}

/** One statement for all records of a commit, and for the hours that they are in. */
const insert = statement<Columns, object>(
  `WITH hours AS (
     INSERT INTO device_gateway.telemetry_open_hours (device, hour)
     SELECT DISTINCT * FROM unnest(@devices::integer[], @hours::bigint[]) AS h (device, hour)
     ORDER BY device, hour ON CONFLICT DO NOTHING
   )
   INSERT INTO device_gateway.telemetry
     (position, at, received_at, seq, device, shape, timed, content)
   SELECT nextval('device_gateway.telemetry_positions'), at, received_at, seq, device, shape, timed,
     content
   FROM (
     SELECT * FROM unnest(@times::bigint[], @received::bigint[], @seqs::bigint[],
       @devices::integer[], @shapes::integer[], @timed::boolean[], @contents::bytea[])
       WITH ORDINALITY AS r (at, received_at, seq, device, shape, timed, content, place)
     ORDER BY place
   ) AS r`,
);

/** Stores records in the order in which they are given, within a transaction. */
export async function writeRecords(
  session: Session,
  uses: UseNotes,
  records: readonly PackedRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const contents = records.map(({ device, receivedAt, record, content }) =>
    content.shape === null || uses.take(device, content.shape, "record", receivedAt)
      ? content
      : toText(record.value),
  );
  await uses.write(session);
  await insert(session, {
    times: records.map(({ record }) => record.at),
    received: records.map(({ receivedAt }) => receivedAt),
    seqs: records.map(({ record }) => record.seq),
    devices: records.map(({ device }) => device),
    shapes: contents.map(({ shape }) => shape),
    timed: records.map(({ record }) => record.isTimed),
    contents: contents.map(({ content }) => content),
    hours: records.map(({ record }) => bucketStart(record.at, hourMs)),
  });
}
