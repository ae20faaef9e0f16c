import type { Logger } from "@device-gateway/core/store";
import { createBackgroundDeletion } from "../database/background-deletion.js";
import type { Connection } from "../database/connection/connection.js";
import { countOf, type Session, statement } from "../database/statement.js";

/** Rows deleted per transaction. Each may be on a page of its own that must be read. */
const step = 1_000;

/** Says which rows of a table are erased (see `erased-marks.ts`). */
interface Mark {
  readonly table: "ota_events" | "alerts";
  readonly deviceId: string;
  /** Empty: all owners. */
  readonly ownerId: string;
}

// Devices after the one that was tried last come first, so a device that takes all the time comes
// last in the next call.
const findMarks = statement<{ after: string }, Mark>(
  `SELECT * FROM (
     SELECT 'ota_events' AS "table", device_id AS "deviceId", '' AS "ownerId"
     FROM device_gateway.ota_events_erased
     UNION ALL
     SELECT 'alerts', device_id, owner_id FROM device_gateway.alerts_erased
   ) AS marks
   ORDER BY "deviceId" <= @after, "deviceId" LIMIT 500`,
);

/**
 * Creates the statements that delete the rows of a mark. It marks those up to a value of the column `place`. `owner` has
 * the conditions for the owner.
 */
function deletionFrom(
  table: Mark["table"],
  place: string,
  owner: { readonly ofMark: string; readonly ofRows: string },
) {
  const thisMark = `device_id = @deviceId AND ${owner.ofMark}`;
  return {
    lock: statement<Mark, { upTo: number }>(
      `SELECT up_to AS "upTo" FROM device_gateway.${table}_erased WHERE ${thisMark}
       FOR UPDATE SKIP LOCKED`,
    ),
    // Locks the rows first, so that the limit is reached even if retention deletes some of them.
    remove: statement<Mark & { upTo: number }, { count: number }>(
      `WITH batch AS MATERIALIZED (
         SELECT id FROM device_gateway.${table}
         WHERE device_id = @deviceId AND ${place} <= @upTo AND ${owner.ofRows}
         LIMIT ${step} FOR UPDATE
       ), gone AS (
         DELETE FROM device_gateway.${table} WHERE id = ANY (ARRAY(SELECT id FROM batch))
         RETURNING 1
       )
       SELECT count(*) AS count FROM gone`,
    ),
    unmark: statement<Mark, object>(`DELETE FROM device_gateway.${table}_erased WHERE ${thisMark}`),
  };
}

const deletions = {
  ota_events: deletionFrom("ota_events", "id", { ofMark: "true", ofRows: "true" }),
  alerts: deletionFrom("alerts", "fired_at", {
    ofMark: "owner_id = @ownerId",
    ofRows: "@ownerId::text IN ('', owner_id)",
  }),
};

/** Deletes some rows of a mark, unless another process is doing so. Returns how many. */
async function deleteSome(session: Session, mark: Mark): Promise<number> {
  const { lock, remove, unmark } = deletions[mark.table];
  const [locked] = await lock(session, mark);
  if (locked === undefined) return 0;
  const count = countOf(await remove(session, { ...mark, ...locked }));
  if (count < step) await unmark(session, mark);
  return count;
}

/**
 * Creates a function that deletes OTA events and alerts that were erased, and that nobody can reach any more. Calls join
 * the run that is under way: a user may release many devices at once, and each run takes a connection.
 */
export const createErasedRowsDeletion = (
  connection: Connection,
  logger: Logger | undefined,
): (() => Promise<void>) =>
  createBackgroundDeletion(
    {
      find: findMarks,
      placeOf: ({ deviceId }) => deviceId,
      first: "",
      deleteSome,
      step,
      message:
        "Could not delete OTA events or alerts of erased devices and former owners; trying again later",
    },
    connection,
    logger,
  );
