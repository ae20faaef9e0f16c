import type { Connection } from "./connection.js";
import { dropUnusedShapes } from "./shape-uses.js";
import { type Session, statement } from "./statement.js";

/** Rows deleted in one transaction. */
const step = 5_000;
/** How long a call goes on: what is left is nobody's any more, and goes with the next retention. */
const patienceMs = 800;

const findErased = statement<object, { device: number }>(
  `SELECT device FROM device_gateway.telemetry_erased ORDER BY device LIMIT 1
   FOR UPDATE SKIP LOCKED`,
);
const deleteRecords = statement<{ device: number; limit: number }, { count: number }>(
  `WITH batch AS MATERIALIZED (
     SELECT at, position FROM device_gateway.telemetry WHERE device = @device LIMIT @limit
   ), gone AS (
     DELETE FROM device_gateway.telemetry AS t USING batch
     WHERE t.device = @device AND t.at = batch.at AND t.position = batch.position RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);
const deleteRest = [
  "telemetry_rollups",
  "telemetry_open_hours",
  "telemetry_crowds",
  "telemetry_keys",
  "telemetry_erased",
].map((table) =>
  statement<{ device: number }, object>(
    `DELETE FROM device_gateway.${table} WHERE device = @device`,
  ),
);
const dropUses = statement<{ device: number }, { shapes: number[] }>(
  `WITH gone AS (
     DELETE FROM device_gateway.telemetry_shape_uses WHERE device = @device RETURNING shape
   )
   SELECT coalesce(array_agg(DISTINCT shape), '{}') AS shapes FROM gone`,
);

/** Deletes some of what an erased device sent; false when there is no such device. */
async function clearSome(session: Session): Promise<boolean> {
  const [erased] = await findErased(session, {});
  if (erased === undefined) return false;
  const { device } = erased;
  const [deleted] = await deleteRecords(session, { device, limit: step });
  if ((deleted?.count ?? 0) === step) return true;
  const [dropped] = await dropUses(session, { device });
  await dropUnusedShapes(session, dropped?.shapes ?? []);
  for (const deletion of deleteRest) await deletion(session, { device });
  return true;
}

/** Deletes what erased devices sent. It can't be reached since their numbers are gone. */
export async function clearErased({ write }: Connection): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while ((await write(clearSome)) && performance.now() < deadline);
}
