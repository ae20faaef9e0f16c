import type { Logger } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { endOfPatience, inSteps } from "../database/in-steps.js";
import { type Session, statement } from "../database/statement.js";

/** Rows deleted in one transaction: each may lie on a page of its own, which may have to be read. */
const step = 1_000;

interface Some {
  readonly device: number;
  readonly limit: number;
}

// Those beyond the one that was tried last come first: one that takes all patience is the next
// call's last.
const findErased = statement<{ after: number }, { device: number }>(
  `SELECT device FROM device_gateway.telemetry_erased
   ORDER BY device <= @after::integer, device LIMIT 500`,
);
const lockErased = statement<{ device: number }, object>(
  `SELECT device FROM device_gateway.telemetry_erased WHERE device = @device
   FOR UPDATE SKIP LOCKED`,
);
// Locked first, so that as many are deleted as there are, up to the limit, whoever else deletes some.
const deleteRecords = statement<Some, { count: number }>(
  `WITH batch AS MATERIALIZED (
     SELECT at, position FROM device_gateway.telemetry WHERE device = @device
     LIMIT @limit FOR UPDATE
   ), gone AS (
     DELETE FROM device_gateway.telemetry AS t USING batch
     WHERE t.device = @device AND t.at = batch.at AND t.position = batch.position RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);
// In this order nothing comes after its turn: only a record opens an hour, only an open one is written.
const deletions = [
  deleteRecords,
  ...["telemetry_open_hours", "telemetry_rollups", "telemetry_crowds", "telemetry_keys"].map(
    (table) =>
      statement<Some, { count: number }>(
        `WITH batch AS MATERIALIZED (
           SELECT ctid FROM device_gateway.${table} WHERE device = @device LIMIT @limit FOR UPDATE
         ), gone AS (
           DELETE FROM device_gateway.${table}
           WHERE ctid = ANY (ARRAY(SELECT ctid FROM batch)) RETURNING 1
         )
         SELECT count(*) AS count FROM gone`,
      ),
  ),
];
// A device has few; its shapes go when retention finds that nobody uses them.
const dropUses = statement<{ device: number }, object>(
  "DELETE FROM device_gateway.telemetry_shape_uses WHERE device = @device",
);
const forgetErased = statement<{ device: number }, object>(
  "DELETE FROM device_gateway.telemetry_erased WHERE device = @device",
);

/** Deletes some of what an erased device sent, unless another process is at it; says how many rows. */
async function clearSome(session: Session, device: number): Promise<number> {
  if ((await lockErased(session, { device })).length === 0) return 0;
  let left = step;
  for (const deletion of deletions) {
    const [deleted] = await deletion(session, { device, limit: left });
    left -= deleted?.count ?? 0;
    if (left === 0) return step;
  }
  await dropUses(session, { device });
  await forgetErased(session, { device });
  return step - left;
}

/**
 * Creates what deletes what erased devices sent, which can't be reached since their numbers are gone.
 * It never rejects: what can't go now keeps no other device, and nobody who calls it, from anything.
 */
export function createErasedClearing(
  { read, write }: Connection,
  logger: Logger | undefined,
): () => Promise<void> {
  /** The device that was tried last. */
  let after = 0;

  async function clearDevices(failures: unknown[]): Promise<void> {
    const deadline = endOfPatience();
    for (const { device } of await read((session) => findErased(session, { after }))) {
      if (performance.now() >= deadline) return;
      after = device;
      const clearing = inSteps(
        step,
        () => write((session) => clearSome(session, device)),
        deadline,
      );
      await clearing.catch((error: unknown) => failures.push(error));
    }
  }

  return async () => {
    const failures: unknown[] = [];
    await clearDevices(failures).catch((error: unknown) => failures.push(error));
    if (failures.length === 0) return;
    logger?.warn(
      { err: failures[0], failures: failures.length },
      "Could not clear what erased devices sent; trying again later",
    );
  };
}
