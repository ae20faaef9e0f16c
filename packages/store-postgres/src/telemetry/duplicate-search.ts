import {
  digestContent,
  type RowContent,
  sameContent,
  type TelemetryRecord,
} from "@device-gateway/core/store";
import { type Session, statement } from "../database/statement.js";
import { type ShapeRows, unpackRecord } from "./shapes/shape-rows.js";

/**
 * A new record is compared with this many records of its instant. For further ones, digests are
 * compared.
 */
const comparedRecords = 8;

/** A record that is about to be stored. */
export interface NewRecord {
  readonly device: number;
  readonly record: TelemetryRecord;
}

interface InstantRow extends RowContent {
  readonly device: number;
  readonly at: number;
  readonly seq: number | null;
  readonly timed: boolean;
}

type Known = Pick<TelemetryRecord, "seq" | "isTimed" | "value">;

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

// The bounds on `at` let the planner skip the partitions of other days.
const atInstants = statement<
  { devices: readonly number[]; times: readonly number[]; first: number; last: number },
  InstantRow
>(
  `SELECT w.device, w.at, t.seq, t.timed, t.shape, t.content
   FROM (SELECT DISTINCT * FROM unnest(@devices::integer[], @times::bigint[])) AS w (device, at),
   LATERAL (
     SELECT seq, timed, shape, content FROM device_gateway.telemetry AS r
     WHERE r.device = w.device AND r.at = w.at AND r.at >= @first AND r.at <= @last
     ORDER BY r.position LIMIT ${comparedRecords}
   ) AS t`,
);
const findDigests = statement<
  { devices: readonly number[]; times: readonly number[]; digests: readonly string[] },
  { device: number; at: number; digest: string; seq: number | null }
>(
  `SELECT c.device, c.at, c.digest, c.seq
   FROM unnest(@devices::integer[], @times::bigint[], @digests::text[]) AS w (device, at, digest)
   JOIN device_gateway.telemetry_crowds AS c USING (device, at, digest)`,
);
const noteDigests = statement<
  {
    devices: readonly number[];
    times: readonly number[];
    digests: readonly string[];
    seqs: readonly (number | null)[];
  },
  object
>(
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

/**
 * Prepares the search for a batch. The devices' activity rows must be locked. Each timed record of
 * an instant is one of its first eight records, or its digest is stored. A device that sends any
 * number of records for one instant therefore costs no more than others.
 */
export async function searchDuplicates(
  session: Session,
  shapes: ShapeRows,
  records: readonly NewRecord[],
): Promise<DuplicateSearch> {
  const timed = records.filter(({ record }) => record.isTimed);
  const instants = new Map<string, Known[]>();
  if (timed.length > 0) {
    const columns = columnsOf(timed);
    const [first, last] = [Math.min(...columns.times), Math.max(...columns.times)];
    const { rows, shapes: known } = await shapes.readRecords(session, () =>
      atInstants(session, { ...columns, first, last }),
    );
    for (const row of rows) {
      const instant = instantOf(row.device, row.at);
      const { seq, timed: isTimed } = row;
      const others = instants.get(instant) ?? [];
      others.push({ seq, isTimed, value: unpackRecord(known, row) });
      instants.set(instant, others);
    }
  }
  const knownDigests = await lookUpDigests(session, timed, instants);
  const crowded: (NewRecord & { readonly digest: string })[] = [];

  return {
    isDuplicate(next) {
      const { device, record } = next;
      const { at, seq, isTimed, value } = record;
      const instant = instantOf(device, at);
      const others = instants.get(instant) ?? [];
      const isSame = (other: Known) =>
        other.isTimed && other.seq === seq && sameContent(other.value, value);
      if (isTimed && others.some(isSame)) return true;
      if (others.length < comparedRecords) {
        others.push(record);
        instants.set(instant, others);
        return false;
      }
      if (!isTimed) return false;
      const digest = digestContent(value);
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
): Promise<Set<string>> {
  const inCrowds = timed.filter(
    ({ device, record }) => instants.get(instantOf(device, record.at))?.length === comparedRecords,
  );
  if (inCrowds.length === 0) return new Set();
  const digests = inCrowds.map(({ record }) => digestContent(record.value));
  const found = await findDigests(session, { ...columnsOf(inCrowds), digests });
  return new Set(found.map(({ device, at, digest, seq }) => digestKey(device, at, digest, seq)));
}
