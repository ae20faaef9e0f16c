import type { Connection } from "../database/connection/connection.js";
import { deleteInSteps, deletionDeadline } from "../database/delete-in-steps.js";
import { countOf, statement } from "../database/statement.js";

/** Pieces deleted per statement: 12 MB. */
const step = 200;

// Marks an upload as given up. Its row stays until all its pieces are deleted; until then it
// accepts no pieces and cannot become an image. The time limit never hits a running upload: a
// request without progress ends after a minute.
const abandon = statement<{ upload: string }, { upload: string }>(
  `UPDATE device_gateway.artifact_uploads SET last_piece_at = '-infinity'
   WHERE upload = @upload::uuid OR last_piece_at < now() - interval '10 minutes' RETURNING upload`,
);
const dropPieces = statement<{ upload: string }, { count: number }>(
  `WITH batch AS MATERIALIZED (
     SELECT upload, start FROM device_gateway.artifact_pieces WHERE upload = @upload::uuid
     LIMIT ${step} FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM device_gateway.artifact_pieces AS p USING batch
     WHERE (p.upload, p.start) = (batch.upload, batch.start) RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);
const drop = statement<{ upload: string }, object>(
  `DELETE FROM device_gateway.artifact_uploads AS u WHERE upload = @upload::uuid
   AND NOT EXISTS (SELECT FROM device_gateway.artifact_pieces WHERE upload = u.upload)`,
);

/** The condition of an upload that is not given up. */
export const isRunning = "upload = @upload::uuid AND last_piece_at > '-infinity'";

/**
 * Deletes the pieces of this upload if it did not become an image, and those of abandoned uploads.
 */
export async function clearLeftovers({ change }: Connection, upload: string): Promise<void> {
  const deadline = deletionDeadline();
  for (const abandoned of await change((session) => abandon(session, { upload }))) {
    const dropSome = async () => countOf(await change((session) => dropPieces(session, abandoned)));
    if (!(await deleteInSteps(step, dropSome, deadline))) return;
    await change((session) => drop(session, abandoned));
  }
}
