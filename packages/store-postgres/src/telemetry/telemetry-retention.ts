import type { Connection } from "../database/connection.js";
import { deleteInSteps } from "../database/delete-in-steps.js";
import { type Session, statement } from "../database/statement.js";
import { dropUsesBefore, type ShapeUser, sweepShapes } from "./shapes/shape-uses.js";
import { dayMs, dayOfPartition } from "./telemetry-partitions.js";

/**
 * If more records than this are expired, the day is emptied at once. The same number of late
 * records can be put back within the statement timeout.
 */
const bulk = 10_000;
/** Rows deleted per statement in tables other than records. */
const step = 500;

/** A range of timestamps, from `first` (inclusive) to `end` (exclusive). */
interface Span {
  readonly first: number;
  readonly end: number;
}

interface Partition {
  readonly day: number;
  /** The planner's estimate of its record count; -1 if the table was never analysed. */
  readonly estimate: number;
  readonly span: Span;
}

const listPartitions = statement<object, { name: string; estimate: number }>(
  `SELECT c.relname AS name, c.reltuples::bigint AS estimate
   FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
   WHERE i.inhparent = 'device_gateway.telemetry'::regclass`,
);
const countOld = statement<
  Span & { receivedBefore: number; limit: number },
  { old: number; any: boolean }
>(
  `SELECT (SELECT count(*) FROM (
       SELECT FROM device_gateway.telemetry
       WHERE at >= @first AND at < @end AND received_at < @receivedBefore LIMIT @limit) AS r) AS old,
     EXISTS (SELECT FROM device_gateway.telemetry WHERE at >= @first AND at < @end) AS any`,
);
const countFrom = statement<Span & { receivedFrom: number; limit: number }, { count: number }>(
  `SELECT count(*) AS count FROM (
     SELECT FROM device_gateway.telemetry
     WHERE at >= @first AND at < @end AND received_at >= @receivedFrom LIMIT @limit) AS r`,
);
const clear = statement<{ day: number; receivedFrom: number }, { kept: number }>(
  "SELECT device_gateway.clear_telemetry_partition(@day, @receivedFrom) AS kept",
);
const drop = statement<{ day: number }, object>(
  "SELECT device_gateway.drop_telemetry_partition(@day)",
);
const notePruned = statement<{ receivedBefore: number }, object>(
  `UPDATE device_gateway.telemetry_marks SET pruned_before = @receivedBefore
   WHERE pruned_before < @receivedBefore`,
);
const deleteOld = statement<Span & { receivedBefore: number; limit: number }, { count: number }>(
  `WITH old AS MATERIALIZED (
     SELECT device, at, position FROM device_gateway.telemetry
     WHERE received_at < @receivedBefore AND at >= @first AND at < @end LIMIT @limit
   ), gone AS (
     DELETE FROM device_gateway.telemetry AS t USING old
     WHERE t.device = old.device AND t.at = old.at AND t.position = old.position RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);
const dropCrowds = statement<{ before: number }, { count: number }>(
  `WITH old AS MATERIALIZED (
     SELECT ctid FROM device_gateway.telemetry_crowds WHERE at < @before
     ORDER BY at LIMIT ${step} FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM device_gateway.telemetry_crowds
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)) RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);
const deleteHours = statement<{ before: number; limit: number }, { count: number }>(
  `WITH old AS MATERIALIZED (
     SELECT device, hour FROM device_gateway.telemetry_rollups WHERE hour < @before
     ORDER BY hour LIMIT @limit FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM device_gateway.telemetry_rollups AS r USING old
     WHERE r.device = old.device AND r.hour = old.hour RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);

/**
 * Creates the retention. It deletes expired data, a bounded number of rows at a time, or a whole
 * day if it has many expired records.
 */
export function createRetention({ runSteps, readStep, writeStep }: Connection) {
  /**
   * Returns the partitions that may hold expired records. A record's timestamp is at most a day
   * after its receipt.
   */
  async function oldPartitions(receivedBefore: number): Promise<Partition[]> {
    const rows = await readStep((session) => listPartitions(session, {}));
    return rows
      .map(({ name, estimate }) => {
        const day = dayOfPartition(name);
        return { day, estimate, span: { first: day * dayMs, end: (day + 1) * dayMs } };
      })
      .filter(({ span }) => span.first < receivedBefore + dayMs)
      .sort((a, b) => a.day - b.day);
  }

  async function hasMany(span: Span, receivedFrom: number): Promise<boolean> {
    const [row] = await readStep((session) =>
      countFrom(session, { ...span, receivedFrom, limit: bulk + 1 }),
    );
    return (row?.count ?? 0) > bulk;
  }

  const deleteSome = (span: Span, receivedBefore: number, limit: number) =>
    writeStep(async (session) => {
      const [row] = await deleteOld(session, { ...span, receivedBefore, limit });
      return row?.count ?? 0;
    });

  /**
   * Empties a day at once. Returns null if too many late records would have to be put back: the day
   * waits until fewer are late.
   */
  async function clearDay({ day, estimate, span }: Partition, receivedBefore: number) {
    if (await hasMany(span, receivedBefore)) return null;
    return writeStep(async (session) => {
      const [row] = await clear(session, { day, receivedFrom: receivedBefore });
      return Math.max(estimate - (row?.kept ?? 0), bulk + 1);
    });
  }

  /**
   * Deletes expired records of a past day, and drops its partition if it is empty. Returns null if
   * the day has to wait.
   */
  async function pruneDay(partition: Partition, receivedBefore: number, limit: number) {
    const { day, span } = partition;
    const [count = { old: 0, any: true }] = await readStep((session) =>
      countOld(session, { ...span, receivedBefore, limit: bulk + 1 }),
    );
    if (count.old > bulk) return clearDay(partition, receivedBefore);
    if (!count.any) await writeStep((session) => drop(session, { day }));
    return count.old === 0 ? 0 : deleteSome(span, receivedBefore, limit);
  }

  /**
   * Deletes expired records of a day that is not fully expired, if it has few. With many, each step
   * would scan past all that earlier steps deleted, so they wait until the day is emptied at once.
   */
  async function pruneBeginning(
    { estimate, span }: Partition,
    receivedBefore: number,
    limit: number,
  ) {
    const isBig = estimate < 0 ? await hasMany(span, 0) : estimate > bulk;
    return isBig ? 0 : deleteSome(span, receivedBefore, limit);
  }

  /**
   * Prunes days, the oldest first, until `limit` records are deleted. Also returns the start of the
   * first day that may still have expired records.
   */
  async function pruneDays(receivedBefore: number, limit: number) {
    let gone = 0;
    let firstLeft = Math.floor(receivedBefore / dayMs) * dayMs;
    for (const partition of await oldPartitions(receivedBefore)) {
      const { first, end } = partition.span;
      const pruneSome = end <= receivedBefore ? pruneDay : pruneBeginning;
      const pruned = await pruneSome(partition, receivedBefore, limit - gone);
      if (pruned === null) firstLeft = Math.min(firstLeft, first);
      gone += pruned ?? 0;
      if (gone >= limit) break;
    }
    return { gone, firstLeft };
  }

  const dropInSteps = (dropSome: (session: Session) => Promise<number>) =>
    deleteInSteps(step, () => writeStep(dropSome));
  const dropUses = (kind: ShapeUser, before: number) =>
    dropInSteps((session) => dropUsesBefore(session, { kind, before, limit: step }));

  return {
    prune: ({ receivedBefore, limit }: { receivedBefore: number; limit: number }) =>
      runSteps(async () => {
        await writeStep((session) => notePruned(session, { receivedBefore }));
        const { gone, firstLeft } = await pruneDays(receivedBefore, limit);
        // The caller continues at once when the limit is reached.
        if (gone >= limit) return gone;
        await dropInSteps(
          async (session) => (await dropCrowds(session, { before: receivedBefore }))[0]?.count ?? 0,
        );
        // Records of a day were received at most a day before it.
        await dropUses("record", firstLeft - dayMs);
        await dropInSteps((session) => sweepShapes(session, step));
        return gone;
      }),

    pruneRollUps: (input: { before: number; limit: number }) =>
      runSteps(async () => {
        const deleted = await writeStep(
          async (session) => (await deleteHours(session, input))[0]?.count ?? 0,
        );
        if (deleted < input.limit) await dropUses("hour", input.before);
        return deleted;
      }),
  };
}
