import type { Logger, RecordPlace } from "@device-gateway/core/store";
import { createBackgroundDeletion } from "../../database/background-deletion.js";
import type { Connection } from "../../database/connection/connection.js";
import { countOf, type Session, statement } from "../../database/statement.js";

/** Rows deleted per transaction. Each may be on a page of its own that must be read. */
const step = 1_000;

interface Batch {
  readonly device: number;
  readonly limit: number;
}

// Devices after the one that was tried last come first, so a device that takes all the time comes
// last in the next call.
const findErased = statement<{ after: number }, { device: number }>(
  `SELECT device FROM device_gateway.telemetry_erased
   ORDER BY device <= @after::integer, device LIMIT 500`,
);
const lockErased = statement<{ device: number }, object>(
  `SELECT device FROM device_gateway.telemetry_erased WHERE device = @device
   FOR UPDATE SKIP LOCKED`,
);
// Locks the rows first, so that the limit is reached even if another process deletes some of them.
const lockRecords = statement<Batch, RecordPlace>(
  "SELECT at, position FROM device_gateway.telemetry WHERE device = @device LIMIT @limit FOR UPDATE",
);
const deletePlaces = statement<
  {
    device: number;
    times: readonly number[];
    positions: readonly number[];
    first: number;
    last: number;
  },
  object
>(
  `DELETE FROM device_gateway.telemetry AS t
   USING unnest(@times::bigint[], @positions::bigint[]) AS w (at, position)
   WHERE t.device = @device AND t.at = w.at AND t.position = w.position
     AND t.at >= @first AND t.at <= @last`,
);

/**
 * Deletes records of a device. Returns how many. The times of the batch let the planner skip all other partitions: in one
 * statement with the batch, it would read all records of the device for each one.
 */
async function deleteRecords(session: Session, batch: Batch): Promise<number> {
  const places = await lockRecords(session, batch);
  if (places.length === 0) return 0;
  const times = places.map(({ at }) => at);
  const positions = places.map(({ position }) => position);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  await deletePlaces(session, { device: batch.device, times, positions, first, last });
  return places.length;
}

// The order matters: only a record opens an hour, and only an open hour is rolled up, so no table
// gets new rows after its turn.
const deletions = [
  deleteRecords,
  ...["telemetry_open_hours", "telemetry_rollups", "telemetry_crowds", "telemetry_keys"].map(
    (table) => {
      const deleteRows = statement<Batch, { count: number }>(
        `WITH batch AS MATERIALIZED (
           SELECT ctid FROM device_gateway.${table} WHERE device = @device LIMIT @limit FOR UPDATE
         ), gone AS (
           DELETE FROM device_gateway.${table}
           WHERE ctid = ANY (ARRAY(SELECT ctid FROM batch)) RETURNING 1
         )
         SELECT count(*) AS count FROM gone`,
      );
      return async (session: Session, batch: Batch) => countOf(await deleteRows(session, batch));
    },
  ),
];
// A device has few uses. Retention deletes their shapes when nobody uses them.
const dropUses = statement<{ device: number }, object>(
  "DELETE FROM device_gateway.telemetry_shape_uses WHERE device = @device",
);
const unmarkErased = statement<{ device: number }, object>(
  "DELETE FROM device_gateway.telemetry_erased WHERE device = @device",
);

/** Deletes some rows of an erased device, unless another process is doing so. Returns how many. */
async function deleteSome(
  session: Session,
  { device }: { readonly device: number },
): Promise<number> {
  if ((await lockErased(session, { device })).length === 0) return 0;
  let left = step;
  for (const deletion of deletions) {
    left -= await deletion(session, { device, limit: left });
    if (left === 0) return step;
  }
  await dropUses(session, { device });
  await unmarkErased(session, { device });
  return step - left;
}

/** Creates a function that deletes the data of erased devices, which nobody can reach any more. */
export const createErasedDataDeletion = (
  connection: Connection,
  logger: Logger | undefined,
): (() => Promise<void>) =>
  createBackgroundDeletion(
    {
      find: findErased,
      placeOf: ({ device }) => device,
      first: 0,
      deleteSome,
      step,
      message: "Could not delete the data of erased devices; trying again later",
    },
    connection,
    logger,
  );
