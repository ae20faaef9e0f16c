import { toTimestamp } from "../shared/timestamp.js";
import type { MetricSelection } from "../telemetry/metric-selection.js";
import type {
  MetricSample,
  RecordPlace,
  RecordRange,
  TelemetryStore,
} from "../telemetry/telemetry-store.js";
import { gatherPart, type HistoryPart, type Reading } from "./history-part.js";
import type { HistoryPoint } from "./point-writer.js";

/** Returns the records that have any of the wanted metrics as points, in the order of time. */
function* toPoints(newestFirst: readonly MetricSample[]): Generator<HistoryPoint> {
  for (const { at, names, values } of newestFirst.toReversed()) {
    if (names.length > 0) yield { timestamp: toTimestamp(at), names, values };
  }
}

/** Records that are read in one turn of the event loop. */
const pageRecords = 100;

/** Returns the newest samples of a range. Older ones begin at the part's `next`. */
export async function readRawHistory(
  telemetry: Pick<TelemetryStore, "metrics">,
  range: RecordRange,
  { selection, limit }: { readonly selection: MetricSelection; readonly limit: number },
  cursor: string | null,
  { turn, progress }: Reading,
): Promise<HistoryPart> {
  return gatherPart(
    { limit, pageLimit: pageRecords, start: cursor, turn },
    async (place, pageLimit) => {
      const [at = "", position = ""] = place?.split(":") ?? [];
      let before: RecordPlace | null =
        place === null ? null : { at: Number(at), position: Number(position) };
      const found: MetricSample[] = [];
      for (;;) {
        const query = { ...range, selection, before, limit: pageLimit - found.length };
        const { samples, next } = await telemetry.metrics(query);
        found.push(...samples);
        before = next;
        if (next === null || found.length >= pageLimit) break;
        // A store returns fewer records than the limit if they are large.
        await turn();
      }
      progress.records += found.length;
      return {
        points: toPoints(found),
        next: before === null ? null : `${before.at}:${before.position}`,
      };
    },
  );
}
