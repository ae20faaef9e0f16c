import { flattenRecord } from "../telemetry/flatten-record.js";
import { createSelector, type MetricSelection } from "../telemetry/metric-selection.js";
import type {
  RecordRange,
  StoredTelemetryRecord,
  TelemetryStore,
} from "../telemetry/telemetry-store.js";
import { toTimestamp } from "../timestamp.js";
import type { HistoryPart, HistoryPoint } from "./history-part.js";

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

/** The newest samples of a range; what is older begins at the part's `next`. */
export async function readRawHistory(
  telemetry: Pick<TelemetryStore, "samples">,
  range: RecordRange,
  selection: MetricSelection,
  limit: number,
  cursor: string | null,
): Promise<HistoryPart> {
  const [at = "", position = ""] = cursor?.split(":") ?? [];
  const after = cursor === null ? null : { at: Number(at), position: Number(position) };
  const found = await telemetry.samples({
    ...range,
    order: "newest_first",
    after,
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const oldest = page.at(-1);
  const isWanted = createSelector(selection);
  const points = page.toReversed().flatMap((record) => toPoint(record, isWanted));
  const goesOn = found.length > limit && oldest !== undefined;
  return { points, next: goesOn ? `${oldest.at}:${oldest.position}` : null };
}
