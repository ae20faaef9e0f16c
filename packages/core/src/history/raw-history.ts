import { nextTurn } from "../shared/next-turn.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { MetricSelection } from "../telemetry/metric-selection.js";
import type {
  MetricSample,
  RecordPlace,
  RecordRange,
  TelemetryStore,
} from "../telemetry/telemetry-store.js";
import { gatherPart, type HistoryPart, type HistoryPoint } from "./history-part.js";

/** A record as a point, if it has any of the wanted metrics. */
function toPoint({ at, names, values }: MetricSample): HistoryPoint[] {
  if (names.length === 0) return [];
  return [
    {
      values: names.map((name, n): [string, number] => [name, values[n] as number]),
      timestamp: toTimestamp(at),
    },
  ];
}

/** Records that are read in one turn of the event loop. */
const pageRecords = 100;

/** A part of the raw history, and how many records it took. */
export interface RawHistory {
  readonly part: HistoryPart;
  readonly records: number;
}

/** The newest samples of a range; what is older begins at the part's `next`. */
export async function readRawHistory(
  telemetry: Pick<TelemetryStore, "metrics">,
  range: RecordRange,
  selection: MetricSelection,
  limit: number,
  cursor: string | null,
): Promise<RawHistory> {
  let records = 0;
  const part = await gatherPart(limit, pageRecords, cursor, async (place, most) => {
    const [at = "", position = ""] = place?.split(":") ?? [];
    let before: RecordPlace | null =
      place === null ? null : { at: Number(at), position: Number(position) };
    const found: MetricSample[] = [];
    for (;;) {
      const query = { ...range, selection, before, limit: most - found.length };
      const { samples, next } = await telemetry.metrics(query);
      found.push(...samples);
      before = next;
      if (next === null || found.length >= most) break;
      // A store gives fewer records than it may if they are large.
      await nextTurn();
    }
    records += found.length;
    return {
      points: found.toReversed().flatMap(toPoint),
      next: before === null ? null : `${before.at}:${before.position}`,
    };
  });
  return { part, records };
}
