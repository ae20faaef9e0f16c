import type { Connection } from "../database/connection.js";
import { inSteps } from "../database/in-steps.js";
import { type Session, statement } from "../database/statement.js";
import { dropUsesBefore, type ShapeUser, sweepShapes } from "./shape-uses.js";
import { dayMs } from "./telemetry-partitions.js";

/**
 * Records of a day beyond which they are not deleted one by one; so many that were received late can
 * be put back in the time that a statement has.
 */
const bulk = 10_000;
/** Rows deleted at once of what comes with records. */
const step = 500;

/** Times of measurement, from `first` until before `end`. */
interface Span {
  readonly first: number;
  readonly end: number;
}

interface Partition {
  readonly day: number;
  /** Of its records, by the planner; -1 if it never looked. */
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

/** Forgets what has had its time, a bounded number of rows at once, and whole days of many. */
export function createRetention({ enter, look, transact }: Connection) {
  /** Those that may have old records, which were measured a day after their receipt at most. */
  async function oldPartitions(receivedBefore: number): Promise<Partition[]> {
    const rows = await look((session) => listPartitions(session, {}));
    return rows
      .map(({ name, estimate }) => {
        const day = Number(name.replace("telemetry_", "").replace("m", "-"));
        return { day, estimate, span: { first: day * dayMs, end: (day + 1) * dayMs } };
      })
      .filter(({ span }) => span.first < receivedBefore + dayMs)
      .sort((a, b) => a.day - b.day);
  }

  async function hasMany(span: Span, receivedFrom: number): Promise<boolean> {
    const [row] = await look((session) =>
      countFrom(session, { ...span, receivedFrom, limit: bulk + 1 }),
    );
    return (row?.count ?? 0) > bulk;
  }

  const deleteSome = (span: Span, receivedBefore: number, limit: number) =>
    transact(async (session) => {
      const [row] = await deleteOld(session, { ...span, receivedBefore, limit });
      return row?.count ?? 0;
    });

  /** Empties a day at once; null if that would take too long: it waits until fewer records are late. */
  async function clearDay({ day, estimate, span }: Partition, receivedBefore: number) {
    if (await hasMany(span, receivedBefore)) return null;
    return transact(async (session) => {
      const [row] = await clear(session, { day, receivedFrom: receivedBefore });
      return Math.max(estimate - (row?.kept ?? 0), bulk + 1);
    });
  }

  /** Forgets old records of one day, drops the day if it has none at all; null if it has to wait. */
  async function pruneDay(partition: Partition, receivedBefore: number, limit: number) {
    const { day, span } = partition;
    const [count = { old: 0, any: true }] = await look((session) =>
      countOld(session, { ...span, receivedBefore, limit: bulk + 1 }),
    );
    if (count.old > bulk) return clearDay(partition, receivedBefore);
    if (!count.any) await transact((session) => drop(session, { day }));
    return count.old === 0 ? 0 : deleteSome(span, receivedBefore, limit);
  }

  /**
   * Forgets old records of a day that goes on, if it has few. Of many each step would look through
   * all that those before it have deleted: they wait until the day is emptied at once.
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
   * Goes from day to day, the oldest first, until so many are gone; or else says which is the first
   * that may have old records still.
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
    inSteps(step, () => transact(dropSome));
  const dropUses = (kind: ShapeUser, before: number) =>
    dropInSteps((session) => dropUsesBefore(session, { kind, before, limit: step }));

  return {
    prune: ({ receivedBefore, limit }: { receivedBefore: number; limit: number }) =>
      enter(async () => {
        await transact((session) => notePruned(session, { receivedBefore }));
        const { gone, firstLeft } = await pruneDays(receivedBefore, limit);
        // Who finds so many comes again at once.
        if (gone >= limit) return gone;
        await dropInSteps(
          async (session) => (await dropCrowds(session, { before: receivedBefore }))[0]?.count ?? 0,
        );
        // The records of a day came a day before it at the earliest.
        await dropUses("record", firstLeft - dayMs);
        await dropInSteps((session) => sweepShapes(session, step));
        return gone;
      }),

    pruneRollUps: (input: { before: number; limit: number }) =>
      enter(async () => {
        const deleted = await transact(
          async (session) => (await deleteHours(session, input))[0]?.count ?? 0,
        );
        if (deleted < input.limit) await dropUses("hour", input.before);
        return deleted;
      }),
  };
}
