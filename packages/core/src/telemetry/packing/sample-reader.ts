import type { JsonObject } from "../../shared/json.js";
import { flattenRecord } from "../flatten-record.js";
import type { MetricSample, RecordPlace } from "../telemetry-store.js";
import { createMetricReader, type MetricReader, type RecordShape } from "./record-shape.js";

/** A stored record: packed with a shape, or JSON text. */
export interface MetricRow extends RecordPlace {
  readonly shape: number | null;
  readonly content: Uint8Array;
}

/** Returns the wanted metrics of a row. */
export type SampleReader = (row: MetricRow) => MetricSample;

const decoder = new TextDecoder();

/**
 * Creates a reader that decodes the wanted metrics of packed records and skips all others.
 *
 * @example
 * const reader = createSampleReader(findShape, isWanted);
 */
export function createSampleReader(
  shapeOf: (shape: number) => RecordShape,
  isWanted: (name: string) => boolean,
): SampleReader {
  const readers = new Map<number, MetricReader>();
  return ({ at, position, shape, content }) => {
    if (shape === null) {
      const record = JSON.parse(decoder.decode(content)) as JsonObject;
      const metrics = flattenRecord(record).filter(({ name }) => isWanted(name));
      const names = metrics.map(({ name }) => name);
      return { at, position, names, values: metrics.map(({ value }) => value) };
    }
    const reader = readers.get(shape) ?? createMetricReader(shapeOf(shape), isWanted);
    readers.set(shape, reader);
    const read = reader.read(content);
    const values: number[] = [];
    for (let n = 0; n < read.length; n++) values.push(read[n] as number);
    return { at, position, names: reader.names, values };
  };
}
