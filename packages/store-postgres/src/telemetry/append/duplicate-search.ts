import { hash } from "node:crypto";
import {
  comparedRecords,
  countBytes,
  digestContent,
  type JsonObject,
  longestSameContent,
  type RowContent,
  sameContent,
  type TelemetryRecord,
} from "@device-gateway/core/store";
import { type Session, statement } from "../../database/statement.js";
import { type ShapeRows, unpackRecord } from "../shapes/shape-rows.js";

/** Creates `digestContent` with Node's SHA-256, which is faster than the portable one. Digests each record once. */
function createDigests(): (record: TelemetryRecord) => string {
  const digests = new Map<TelemetryRecord, string>();
  return (record) => {
    const known = digests.get(record);
    if (known !== undefined) return known;
    const digest = digestContent(record.value, (text) => hash("sha256", text, "base64url"));
    digests.set(record, digest);
    return digest;
  };
}

/** A record that is about to be stored. */
export interface NewRecord {
  readonly device: number;
  readonly record: TelemetryRecord;
}

/** A stored record of an instant, without its content. */
interface InstantRow {
  readonly device: number;
  readonly at: number;
  readonly position: number;
  readonly seq: number | null;
  readonly timed: boolean;
  /** The length of the content, or of its shape's skeleton if that is longer. */
  readonly bytes: number;
}

/** A record of an instant. */
interface Known extends Pick<TelemetryRecord, "seq" | "isTimed"> {
  /** Returns the length of the content in bytes. It is at most `longestSameContent` for the same content. */
  length(): number;
  /** Undefined if it was not read. */
  readonly value: JsonObject | undefined;
}

/** A stored record, whose value is read if a new record may be the same. */
type Stored = InstantRow & Known & { value: JsonObject | undefined };

/** Returns a record of the batch. */
function toKnown({ seq, isTimed, value }: TelemetryRecord): Known {
  let length: number | undefined;
  return {
    seq,
    isTimed,
    value,
    length() {
      length ??= countBytes(value);
      return length;
    },
  };
}

/** Returns those of the records of an instant that may be the same as a timed record. */
function candidatesOf<Item extends Known>(known: readonly Item[], record: TelemetryRecord): Item[] {
  const alike = known.filter(({ seq, isTimed }) => isTimed && seq === record.seq);
  if (alike.length === 0) return alike;
  const longest = longestSameContent(record.value);
  return alike.filter((other) => other.length() <= longest);
}

/** Finds records that are already stored (§4). */
export interface DuplicateSearch {
  /**
   * Returns whether the record is a duplicate of a stored record or of an earlier one in the batch.
   * Call it once for each record in order, untimed ones too.
   */
  isDuplicate(next: NewRecord): boolean;
  /** Stores the digests of new records, within the transaction. */
  write(session: Session): Promise<void>;
}

interface InstantsAsked {
  readonly devices: readonly number[];
  readonly times: readonly number[];
  readonly first: number;
  readonly last: number;
}

// The bounds on `at` let the planner skip the partitions of other days. Postgres knows the lengths of a content and of
// a skeleton without reading them. A skeleton is never longer than the JSON text of its records, and its nulls and
// empty values are not in the content.
const atInstants = statement<InstantsAsked, InstantRow>(
  `SELECT w.device, w.at, t.position, t.seq, t.timed, t.bytes
   FROM (SELECT DISTINCT * FROM unnest(@devices::integer[], @times::bigint[])) AS w (device, at),
   LATERAL (
     SELECT position, seq, timed, greatest(octet_length(content), (
         SELECT octet_length(skeleton) FROM device_gateway.telemetry_shapes AS s WHERE s.id = r.shape
       )) AS bytes
     FROM device_gateway.telemetry AS r
     WHERE r.device = w.device AND r.at = w.at AND r.at >= @first AND r.at <= @last
     ORDER BY r.position LIMIT ${comparedRecords}
   ) AS t`,
);
const atPositions = statement<
  InstantsAsked & { readonly positions: readonly number[] },
  RowContent & { readonly position: number }
>(
  `SELECT r.position, r.shape, r.content
   FROM unnest(@devices::integer[], @times::bigint[], @positions::bigint[])
     AS w (device, at, position),
   LATERAL (
     SELECT position, shape, content FROM device_gateway.telemetry AS t
     WHERE t.device = w.device AND t.at = w.at AND t.position = w.position
       AND t.at >= @first AND t.at <= @last
   ) AS r`,
);
interface DigestColumns {
  readonly devices: readonly number[];
  readonly times: readonly number[];
  readonly digests: readonly string[];
  readonly seqs: readonly (number | null)[];
}

// As in the index: -2^53 - 1 stands for no seq.
const findDigests = statement<
  DigestColumns,
  { device: number; at: number; digest: string; seq: number | null }
>(
  `SELECT c.device, c.at, c.digest, c.seq
   FROM unnest(@devices::integer[], @times::bigint[], @digests::text[], @seqs::bigint[])
     AS w (device, at, digest, seq)
   JOIN device_gateway.telemetry_crowds AS c
     ON c.device = w.device AND c.at = w.at AND c.digest = w.digest
       AND coalesce(c.seq, -9007199254740993) = coalesce(w.seq, -9007199254740993)`,
);
const noteDigests = statement<DigestColumns, object>(
  `INSERT INTO device_gateway.telemetry_crowds (device, at, digest, seq)
   SELECT * FROM unnest(@devices::integer[], @times::bigint[], @digests::text[], @seqs::bigint[])`,
);

const instantOf = (device: number, at: number) => `${device} ${at}`;
const digestKey = (device: number, at: number, digest: string, seq: number | null) =>
  `${device} ${at} ${digest} ${seq}`;
const columnsOf = (records: readonly NewRecord[]) => ({
  devices: records.map(({ device }) => device),
  times: records.map(({ record }) => record.at),
});
const boundsOf = (times: readonly number[]) => ({
  first: Math.min(...times),
  last: Math.max(...times),
});

/** Returns the first stored records of the records' instants, without their contents. */
async function findInstants(
  session: Session,
  timed: readonly NewRecord[],
): Promise<Map<string, Stored[]>> {
  const instants = new Map<string, Stored[]>();
  if (timed.length === 0) return instants;
  const columns = columnsOf(timed);
  for (const row of await atInstants(session, { ...columns, ...boundsOf(columns.times) })) {
    const instant = instantOf(row.device, row.at);
    const others = instants.get(instant) ?? [];
    others.push({ ...row, isTimed: row.timed, length: () => row.bytes, value: undefined });
    instants.set(instant, others);
  }
  return instants;
}

/** Reads the contents of stored records. */
async function readContents(
  session: Session,
  shapes: ShapeRows,
  stored: readonly Stored[],
): Promise<void> {
  if (stored.length === 0) return;
  const times = stored.map(({ at }) => at);
  const { rows, shapes: known } = await shapes.readRecords(session, () =>
    atPositions(session, {
      ...{ devices: stored.map(({ device }) => device), times, ...boundsOf(times) },
      positions: stored.map(({ position }) => position),
    }),
  );
  const values = new Map(rows.map((row) => [row.position, unpackRecord(known, row)]));
  for (const each of stored) each.value = values.get(each.position);
}

/**
 * Prepares the search for a batch. The devices' activity rows must be locked. Each timed record of
 * an instant is one of its first eight records, or its digest is stored. A device that sends any
 * number of records for one instant therefore costs no more than others. A stored record that is
 * too long to have the same content, or whose shape is, is not read, so small records of instants
 * with large ones cost no more either.
 */
export async function searchDuplicates(
  session: Session,
  shapes: ShapeRows,
  records: readonly NewRecord[],
): Promise<DuplicateSearch> {
  const timed = records.filter(({ record }) => record.isTimed);
  const stored = await findInstants(session, timed);
  const candidates = timed.flatMap(({ device, record }) =>
    candidatesOf(stored.get(instantOf(device, record.at)) ?? [], record),
  );
  await readContents(session, shapes, [...new Set(candidates)]);
  const instants = new Map<string, Known[]>(stored);
  const digestOf = createDigests();
  const knownDigests = await lookUpDigests(session, timed, instants, digestOf);
  const crowded: (NewRecord & { readonly digest: string })[] = [];

  return {
    isDuplicate(next) {
      const { device, record } = next;
      const { at, seq, value } = record;
      const instant = instantOf(device, at);
      const others = instants.get(instant) ?? [];
      const isSame = (other: Known) => other.value !== undefined && sameContent(other.value, value);
      if (record.isTimed && candidatesOf(others, record).some(isSame)) return true;
      if (others.length < comparedRecords) {
        others.push(toKnown(record));
        instants.set(instant, others);
        return false;
      }
      if (!record.isTimed) return false;
      const digest = digestOf(record);
      const key = digestKey(device, at, digest, seq);
      if (knownDigests.has(key)) return true;
      knownDigests.add(key);
      crowded.push({ ...next, digest });
      return false;
    },
    async write(writing) {
      if (crowded.length === 0) return;
      await noteDigests(writing, {
        ...columnsOf(crowded),
        digests: crowded.map(({ digest }) => digest),
        seqs: crowded.map(({ record }) => record.seq),
      });
    },
  };
}

async function lookUpDigests(
  session: Session,
  timed: readonly NewRecord[],
  instants: ReadonlyMap<string, readonly Known[]>,
  digestOf: (record: TelemetryRecord) => string,
): Promise<Set<string>> {
  const inCrowds = timed.filter(
    ({ device, record }) => instants.get(instantOf(device, record.at))?.length === comparedRecords,
  );
  if (inCrowds.length === 0) return new Set();
  const digests = inCrowds.map(({ record }) => digestOf(record));
  const seqs = inCrowds.map(({ record }) => record.seq);
  const found = await findDigests(session, { ...columnsOf(inCrowds), digests, seqs });
  return new Set(found.map(({ device, at, digest, seq }) => digestKey(device, at, digest, seq)));
}
