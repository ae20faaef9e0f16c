import { endsOf } from "../database/changes/commit-order.js";
import { lineage, onPrimary } from "../database/changes/lineage.js";
import { type Session, statement } from "../database/statement.js";

/**
 * `newest` is the last position that was given. Positions above `settled` may belong to transactions that have not
 * ended.
 */
interface Ends {
  readonly newest: number;
  readonly settled: number;
}

const newest = statement<object, { position: number }>(
  `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS position
   FROM device_gateway.telemetry_positions`,
);
const ends = statement<object, Ends>(endsOf("telemetry_positions"));
const endsAndLineage = statement<object, Ends & { readonly lineage: string | null }>(
  `SELECT ends.*, ${lineage} AS lineage FROM (${endsOf("telemetry_positions")}) AS ends`,
);

/** Returns the last position that was given. Its record may not be committed. */
export async function newestPosition(session: Session): Promise<number> {
  const [row] = await newest(session, {});
  return row?.position ?? 0;
}

/** Returns the position up to which every transaction has ended. */
export async function lastPosition(session: Session): Promise<number> {
  const [found] = await ends(session, {});
  return found?.settled ?? 0;
}

/** Reads the ends and the lineage on the primary. A standby does not know of transactions that have not ended. */
export async function readEnds(session: Session): Promise<Ends & { readonly lineage: string }> {
  const [found = { newest: 0, settled: 0, lineage: null }] = await endsAndLineage(session, {});
  return { ...found, lineage: onPrimary(found.lineage) };
}

/** Returns the position after which every later record is followed. */
export async function endPosition(session: Session): Promise<number> {
  const { settled } = await readEnds(session);
  return settled;
}
