import {
  type BucketFolder,
  createMetricReader,
  flattenRecord,
  type JsonObject,
  type MetricReader,
} from "@device-gateway/core/store";
import type { RecordRow } from "./record-rows.js";
import { type ShapeRows, textOf } from "./shape-rows.js";

/**
 * Creates a function that adds the wanted metrics of a record to `folder`. It decodes no other
 * metrics.
 */
export function createRecordFolder(
  shapes: ShapeRows,
  folder: BucketFolder,
  isWanted: (name: string) => boolean,
): (row: RecordRow) => void {
  const readers = new Map<number, MetricReader>();

  function readerOf(shape: number): MetricReader {
    let reader = readers.get(shape);
    if (reader === undefined) {
      reader = createMetricReader(shapes.recordShape(shape), isWanted);
      readers.set(shape, reader);
    }
    return reader;
  }

  return (row) => {
    if (row.shape !== null) {
      const reader = readerOf(row.shape);
      folder.addSample(row.at, reader.names, reader.read(row.content));
      return;
    }
    const metrics = flattenRecord(textOf(row) as JsonObject).filter(({ name }) => isWanted(name));
    const values = metrics.map(({ value }) => value);
    folder.addSample(
      row.at,
      metrics.map(({ name }) => name),
      values,
    );
  };
}
