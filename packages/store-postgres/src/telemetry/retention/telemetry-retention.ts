import { dayMs } from "@device-gateway/core/store";
import type { Connection } from "../../database/connection/connection.js";
import { deleteInSteps } from "../../database/delete-in-steps.js";
import { countOf, type Session, statement } from "../../database/statement.js";
import { dropUsesBefore, type ShapeUser, sweepShapes } from "../shapes/shape-uses.js";
import { listPartitions, type Partition } from "./telemetry-partitions.js";

/**
 * If more records than this are expired, the day is emptied at once. The same number of late
 * records can be put back within the statement timeout, if they do not have too many bytes.
 */
const bulk = 10_000;
const bulkBytes = 16_777_216;
/** Rows deleted per statement in tables other than records. */
const step = 500;

/** A range of timestamps, from `first` (inclusive) to `end` (exclusive). */
interface Span {
  readonly first: number;
  readonly end: number;
}

interface OldPartition extends Partition {
  readonly span: Span;
}

const countOld = statement<
  Span & { receivedBefore: number; limit: number },
  { old: number; any: boolean }
>(
  `SELECT (SELECT count(*) FROM (
       SELECT FROM device_gateway.telemetry
       WHERE at >= @first AND at < @end AND received_at < @receivedBefore LIMIT @limit) AS r) AS old,
     EXISTS (SELECT FROM device_gateway.telemetry WHERE at >= @first AND at < @end) AS any`,
);
// Postgres knows the length of a content without reading it.
const measureFrom = statement<
  Span & { receivedFrom: number; limit: number },
  { count: number; bytes: number }
>(
  `SELECT count(*) AS count, coalesce(sum(octet_length(content)), 0) AS bytes FROM (
     SELECT content FROM device_gateway.telemetry
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
// The bounds on `at` in both parts let the planner skip the partitions of other days.
const deleteOld = statement<Span & { receivedBefore: number; limit: number }, { count: number }>(
  `WITH old AS MATERIALIZED (
     SELECT device, at, position FROM device_gateway.telemetry
     WHERE received_at < @receivedBefore AND at >= @first AND at < @end LIMIT @limit
   ), gone AS (
     DELETE FROM device_gateway.telemetry AS t USING old
     WHERE t.device = old.device AND t.at = old.at AND t.position = old.position
       AND t.at >= @first AND t.at < @end RETURNING 1
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

async function dropCrowdsBefore(session: Session, before: number): Promise<number> {
  return countOf(await dropCrowds(session, { before }));
}

/**
 * Creates the retention. It deletes expired data, a bounded number of rows at a time, or a whole
 * day if it has many expired records. What cannot be deleted does not stop the rest.
 */
export function createRetention({ runSteps, readStep, writeStep }: Connection) {
  /**
   * Returns the partitions that may hold expired records. A record's timestamp is at most a day
   * after its receipt.
   */
  async function oldPartitions(receivedBefore: number): Promise<OldPartition[]> {
    const partitions = await readStep(listPartitions);
    return partitions
      .map(({ day, estimate }) => {
        return { day, estimate, span: { first: day * dayMs, end: (day + 1) * dayMs } };
      })
      .filter(({ span }) => span.first < receivedBefore + dayMs)
      .sort((a, b) => a.day - b.day);
  }

  /** Counts records, up to one more than `bulk`, and their bytes. */
  async function measure(span: Span, receivedFrom: number) {
    const [found = { count: 0, bytes: 0 }] = await readStep((session) =>
      measureFrom(session, { ...span, receivedFrom, limit: bulk + 1 }),
    );
    return found;
  }

  const deleteSome = (span: Span, receivedBefore: number, limit: number) =>
    writeStep(async (session) =>
      countOf(await deleteOld(session, { ...span, receivedBefore, limit })),
    );

  /**
   * Empties a day at once. Returns null if too many or too large late records would have to be put
   * back: the day waits until fewer are late.
   */
  async function clearDay({ day, estimate, span }: OldPartition, receivedBefore: number) {
    const late = await measure(span, receivedBefore);
    if (late.count > bulk || late.bytes > bulkBytes) return null;
    return writeStep(async (session) => {
      const [row] = await clear(session, { day, receivedFrom: receivedBefore });
      return Math.max(estimate - (row?.kept ?? 0), bulk + 1);
    });
  }

  /**
   * Deletes expired records of a past day, and drops its partition if it is empty. Returns null if
   * the day has to wait.
   */
  async function pruneDay(partition: OldPartition, receivedBefore: number, limit: number) {
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
    { estimate, span }: OldPartition,
    receivedBefore: number,
    limit: number,
  ) {
    const count = estimate < 0 ? (await measure(span, 0)).count : estimate;
    return count > bulk ? 0 : deleteSome(span, receivedBefore, limit);
  }

  /**
   * Prunes days, the oldest first, until `limit` records are deleted. Also returns the start of the
   * first day that may still have expired records, and the errors of days that could not be pruned.
   */
  async function pruneDays(receivedBefore: number, limit: number) {
    const failures: unknown[] = [];
    let gone = 0;
    let firstLeft = Math.floor(receivedBefore / dayMs) * dayMs;
    for (const partition of await oldPartitions(receivedBefore)) {
      const { first, end } = partition.span;
      const pruneSome = end <= receivedBefore ? pruneDay : pruneBeginning;
      const pruned = await pruneSome(partition, receivedBefore, limit - gone).catch(
        (error: unknown) => {
          failures.push(error);
          return null;
        },
      );
      if (pruned === null) firstLeft = Math.min(firstLeft, first);
      gone += pruned ?? 0;
      if (gone >= limit) break;
    }
    return { gone, firstLeft, failures };
  }

  const dropInSteps = (dropSome: (session: Session) => Promise<number>) =>
    deleteInSteps(step, () => writeStep(dropSome));
  const dropUses = (kind: ShapeUser, before: number) =>
    dropInSteps((session) => dropUsesBefore(session, { kind, before, limit: step }));

  return {
    prune: ({ receivedBefore, limit }: { receivedBefore: number; limit: number }) =>
      runSteps(async () => {
        await writeStep((session) => notePruned(session, { receivedBefore }));
        const { gone, firstLeft, failures } = await pruneDays(receivedBefore, limit);
        // The caller continues at once when the limit is reached. The last call reports the failures.
        if (gone >= limit) return gone;
        const steps = [
          () => dropInSteps((session) => dropCrowdsBefore(session, receivedBefore)),
          // Records of a day were received at most a day before it.
          () => dropUses("record", firstLeft - dayMs),
          () => dropInSteps((session) => sweepShapes(session, step)),
        ];
        for (const each of steps) await each().catch((error: unknown) => failures.push(error));
        if (failures.length > 0) throw failures[0];
        return gone;
      }),

    pruneRollUps: (input: { before: number; limit: number }) =>
      runSteps(async () => {
        const deleted = await writeStep(async (session) =>
          countOf(await deleteHours(session, input)),
        );
        if (deleted < input.limit) await dropUses("hour", input.before);
        return deleted;
      }),
  };
}
