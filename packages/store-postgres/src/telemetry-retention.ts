import type { Connection } from "./connection.js";
import { dropUnusedShapes, dropUsesBefore, type ShapeUser } from "./shape-uses.js";
import { type Session, statement } from "./statement.js";
import { dayMs } from "./telemetry-partitions.js";

/** Records of a day beyond which they are not deleted one by one. */
const bulk = 10_000;

interface Partition {
  readonly day: number;
  readonly estimate: number;
}

const listPartitions = statement<object, { name: string; estimate: number }>(
  `SELECT c.relname AS name, c.reltuples::bigint AS estimate
   FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
   WHERE i.inhparent = 'device_gateway.telemetry'::regclass`,
);
const countOld = statement<
  { first: number; end: number; receivedBefore: number; limit: number },
  { old: number; any: boolean }
>(
  `SELECT (SELECT count(*) FROM (
       SELECT FROM device_gateway.telemetry
       WHERE at >= @first AND at < @end AND received_at < @receivedBefore LIMIT @limit) AS r) AS old,
     EXISTS (SELECT FROM device_gateway.telemetry WHERE at >= @first AND at < @end) AS any`,
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
const deleteOld = statement<
  { receivedBefore: number; end: number; limit: number },
  { count: number }
>(
  `WITH old AS MATERIALIZED (
     SELECT device, at, position FROM device_gateway.telemetry
     WHERE received_at < @receivedBefore AND at < @end LIMIT @limit
   ), gone AS (
     DELETE FROM device_gateway.telemetry AS t USING old
     WHERE t.device = old.device AND t.at = old.at AND t.position = old.position RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);
const dropCrowds = statement<{ before: number }, object>(
  `DELETE FROM device_gateway.telemetry_crowds WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM device_gateway.telemetry_crowds WHERE at < @before ORDER BY at LIMIT 500))`,
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
  const run = <Outcome>(work: (session: Session) => Promise<Outcome>) => transact(work);

  async function oldPartitions(receivedBefore: number): Promise<Partition[]> {
    const rows = await look((session) => listPartitions(session, {}));
    return rows
      .map(({ name, estimate }) => ({
        day: Number(name.replace("telemetry_", "").replace("m", "-")),
        estimate,
      }))
      .filter(({ day }) => (day + 1) * dayMs <= receivedBefore)
      .sort((a, b) => a.day - b.day);
  }

  /** Empties the oldest day that has many old records, and drops days that have none at all. */
  async function clearDays(receivedBefore: number): Promise<number> {
    for (const { day, estimate } of await oldPartitions(receivedBefore)) {
      const bounds = { first: day * dayMs, end: (day + 1) * dayMs };
      const input = { ...bounds, receivedBefore, limit: bulk + 1 };
      const [count = { old: 0, any: true }] = await look((session) => countOld(session, input));
      if (count.old > bulk) {
        const kept = await run(async (session) => {
          const [row] = await clear(session, { day, receivedFrom: receivedBefore });
          return row?.kept ?? 0;
        });
        return Math.max(estimate - kept, count.old);
      }
      if (!count.any) await run((session) => drop(session, { day }));
    }
    return 0;
  }

  /** When nothing is left that might need them. */
  const dropShapes = (kind: ShapeUser, before: number) =>
    run(async (session) => {
      await dropUnusedShapes(session, await dropUsesBefore(session, kind, before));
    });

  return {
    prune: ({ receivedBefore, limit }: { receivedBefore: number; limit: number }) =>
      enter(async () => {
        await run((session) => notePruned(session, { receivedBefore }));
        const cleared = await clearDays(receivedBefore);
        if (cleared > 0) return cleared;
        // Measured a day after its receipt at most: later days have nothing that old.
        const old = { receivedBefore, end: receivedBefore + dayMs, limit };
        const deleted = await run(
          async (session) => (await deleteOld(session, old))[0]?.count ?? 0,
        );
        if (deleted < limit) {
          await run((session) => dropCrowds(session, { before: receivedBefore }));
          await dropShapes("record", receivedBefore);
        }
        return deleted;
      }),

    pruneRollUps: (input: { before: number; limit: number }) =>
      enter(async () => {
        const deleted = await run(
          async (session) => (await deleteHours(session, input))[0]?.count ?? 0,
        );
        if (deleted < input.limit) await dropShapes("hour", input.before);
        return deleted;
      }),
  };
}
