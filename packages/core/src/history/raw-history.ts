import { flattenRecord } from "../telemetry/flatten-record.js";
import { createSelector, type MetricSelection } from "../telemetry/metric-selection.js";
import type {
  RecordRange,
  StoredTelemetryRecord,
  TelemetryStore,
} from "../telemetry/telemetry-store.js";
import { toTimestamp } from "../timestamp.js";
import { gatherPart, type HistoryPart, type HistoryPoint } from "./history-part.js";

/** A record as a point, if it has any of the wanted metrics. */
function toPoint(
  record: StoredTelemetryRecord,
  isWanted: (name: string) => boolean,
): HistoryPoint[] {
  const wanted = flattenRecord(record.value).filter(({ name }) => isWanted(name));
  if (wanted.length === 0) return [];
  const values = wanted.map(({ name, value }): [string, number] => [name, value]);
  return [{ values, timestamp: toTimestamp(record.at) }];
}

/** Records that are in memory at a time: each may be as large as a body. */
const pageRecords = 100;

/** The newest samples of a range; what is older begins at the part's `next`. */
export function readRawHistory(
  telemetry: Pick<TelemetryStore, "samples">,
  range: RecordRange,
  selection: MetricSelection,
  limit: number,
  cursor: string | null,
): Promise<HistoryPart> {
  const isWanted = createSelector(selection);
  return gatherPart(limit, pageRecords, cursor, async (place, most) => {
    const [at = "", position = ""] = place?.split(":") ?? [];
    const after = place === null ? null : { at: Number(at), position: Number(position) };
    const query = { ...range, order: "newest_first" as const, after, limit: most + 1 };
    const found = await telemetry.samples(query);
    const page = found.slice(0, most);
    const oldest = page.at(-1);
    const points = page.toReversed().flatMap((record) => toPoint(record, isWanted));
    const goesOn = found.length > most && oldest !== undefined;
    return { points, next: goesOn ? `${oldest.at}:${oldest.position}` : null };
  });
}
