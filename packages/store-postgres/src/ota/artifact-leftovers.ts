import type { Connection } from "../database/connection.js";
import { endOfPatience, inSteps } from "../database/in-steps.js";
import { statement } from "../database/statement.js";

/** Pieces deleted at once: 12 MB. */
const step = 200;

// It stays until its pieces are gone, and meanwhile takes no more and gets no name. What is being
// written has news more often than others' are given up: an upload without any ends after a minute.
const giveUp = statement<{ upload: string }, { upload: string }>(
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

/** Of an upload that may still go on. */
export const goesOn = "upload = @upload::uuid AND last_piece_at > '-infinity'";

/** Deletes the pieces of an upload, if it has no name, and what others have left. */
export async function clearLeftovers({ change }: Connection, upload: string): Promise<void> {
  const deadline = endOfPatience();
  for (const given of await change((session) => giveUp(session, { upload }))) {
    const dropSome = async () =>
      (await change((session) => dropPieces(session, given)))[0]?.count ?? 0;
    if (!(await inSteps(step, dropSome, deadline))) return;
    await change((session) => drop(session, given));
  }
}
