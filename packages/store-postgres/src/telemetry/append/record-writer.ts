import {
  bucketStart,
  hourMs,
  type RowContent,
  type TelemetryRecord,
  toTextContent,
} from "@device-gateway/core/store";
import { preparedStatement, type Session } from "../../database/statement.js";
import type { UseNotes } from "../shapes/shape-uses.js";

/** A record with its packed content. */
export interface RecordToInsert {
  readonly device: number;
  readonly receivedAt: number;
  readonly record: TelemetryRecord;
  readonly content: RowContent;
}

/** When a device sent a request, and when it sent records; `sent` is null if it sent none. */
export interface Sighting {
  readonly device: number;
  readonly seen: number;
  readonly sent: number | null;
}

interface Columns {
  readonly times: readonly number[];
  readonly received: readonly number[];
  readonly seqs: readonly (number | null)[];
  readonly devices: readonly number[];
  readonly shapes: readonly (number | null)[];
  readonly timed: readonly boolean[];
  /** All contents concatenated. As an array, each would be sent as text of twice the length. */
  readonly contents: Uint8Array;
  /** Where each content starts in `contents`, counted from 1. */
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
  readonly hours: readonly number[];
  /** The devices of the batch, each once. */
  readonly active: readonly number[];
  readonly seen: readonly number[];
  readonly sent: readonly (number | null)[];
}

/**
 * One statement writes all records of a commit, opens their hours and updates the devices'
 * activity.
 */
const insert = preparedStatement<Columns, object>(
  `WITH hours AS (
     INSERT INTO device_gateway.telemetry_open_hours (device, hour)
     SELECT DISTINCT *
     FROM unnest((SELECT @devices::integer[]), (SELECT @hours::bigint[])) AS h (device, hour)
     ORDER BY device, hour ON CONFLICT DO NOTHING
   ), activity AS (
     UPDATE device_gateway.device_activity AS a
     SET last_seen_at = greatest(a.last_seen_at, w.seen),
       last_telemetry_at = greatest(a.last_telemetry_at, w.sent)
     FROM unnest((SELECT @active::integer[]), (SELECT @seen::bigint[]), (SELECT @sent::bigint[]))
       AS w (device, seen, sent)
     WHERE a.number = w.device
   )
   INSERT INTO device_gateway.telemetry
     (position, at, received_at, seq, device, shape, timed, content)
   SELECT nextval('device_gateway.telemetry_positions'), at, received_at, seq, device, shape, timed,
     substring(@contents::bytea FROM start FOR length)
   FROM (
     SELECT * FROM unnest((SELECT @times::bigint[]), (SELECT @received::bigint[]),
       (SELECT @seqs::bigint[]), (SELECT @devices::integer[]), (SELECT @shapes::integer[]),
       (SELECT @timed::boolean[]), (SELECT @starts::integer[]), (SELECT @lengths::integer[]))
       WITH ORDINALITY AS r (at, received_at, seq, device, shape, timed, start, length, place)
     ORDER BY place
   ) AS r`,
);

/** Returns the latest sighting of each device. */
function latestSightings(sightings: readonly Sighting[]): Iterable<Sighting> {
  const latest = new Map<number, Sighting>();
  for (const next of sightings) {
    const { device } = next;
    const { seen, sent } = latest.get(device) ?? next;
    const isLater = next.sent !== null && (sent === null || next.sent > sent);
    latest.set(device, {
      device,
      seen: Math.max(seen, next.seen),
      sent: isLater ? next.sent : sent,
    });
  }
  return latest.values();
}

/** Stores records, in the given order, and sightings, within a transaction. */
export async function writeRecords(
  session: Session,
  uses: UseNotes,
  records: readonly RecordToInsert[],
  sightings: readonly Sighting[],
): Promise<void> {
  if (sightings.length === 0) return;
  const contents = records.map(({ device, receivedAt, record, content }) =>
    content.shape === null || uses.take(device, content.shape, "record", receivedAt)
      ? content
      : toTextContent(record.value),
  );
  await uses.write(session);
  const lengths = contents.map(({ content }) => content.length);
  let end = 1;
  const starts = lengths.map((length) => {
    end += length;
    return end - length;
  });
  const latest = [...latestSightings(sightings)];
  await insert(session, {
    times: records.map(({ record }) => record.at),
    received: records.map(({ receivedAt }) => receivedAt),
    seqs: records.map(({ record }) => record.seq),
    devices: records.map(({ device }) => device),
    shapes: contents.map(({ shape }) => shape),
    timed: records.map(({ record }) => record.isTimed),
    contents: Buffer.concat(contents.map(({ content }) => content)),
    starts,
    lengths,
    hours: records.map(({ record }) => bucketStart(record.at, hourMs)),
    active: latest.map(({ device }) => device),
    seen: latest.map(({ seen }) => seen),
    sent: latest.map(({ sent }) => sent),
  });
}
