import type { JsonObject } from "../shared/json.js";
import type { BucketAggregator } from "../telemetry/bucket.js";
import { flattenRecord } from "../telemetry/flatten-record.js";
import {
  createMetricReader,
  type MetricReader,
  type RecordShape,
} from "../telemetry/packing/record-shape.js";
import type { RecordRange } from "../telemetry/telemetry-store.js";
import { fromTextContent, type RowContent } from "./row-content.js";

/** A row of `telemetry` without its device. */
export interface RecordRow extends RowContent {
  readonly position: number;
  readonly at: number;
  readonly receivedAt: number;
  readonly seq: number | null;
}

/** A range of records of the device with this telemetry number. */
export type RowRange = Omit<RecordRange, "deviceId"> & { readonly device: number };

/**
 * Creates a function that adds the wanted metrics of a record to `aggregator`. It decodes no other
 * metrics.
 *
 * @example
 * const fold = createRecordAggregator(aggregator, isWanted);
 * for (const row of rows) fold(row, findShape);
 */
export function createRecordAggregator(
  aggregator: BucketAggregator,
  isWanted: (name: string) => boolean,
): (row: RecordRow, findShape: (shape: number) => RecordShape) => void {
  const readers = new Map<number, MetricReader>();

  return (row, findShape) => {
    if (row.shape !== null) {
      let reader = readers.get(row.shape);
      if (reader === undefined) {
        reader = createMetricReader(findShape(row.shape), isWanted);
        readers.set(row.shape, reader);
      }
      aggregator.addSample(row.at, reader.names, reader.read(row.content));
      return;
    }
    const record = fromTextContent(row) as JsonObject;
    const metrics = flattenRecord(record).filter(({ name }) => isWanted(name));
    aggregator.addSample(
      row.at,
      metrics.map(({ name }) => name),
      metrics.map(({ value }) => value),
    );
  };
}
