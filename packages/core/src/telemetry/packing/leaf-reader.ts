import type { JsonObject } from "../../shared/json.js";
import { flattenLeaves } from "../flatten-leaves.js";
import type { RecordLeaves } from "../telemetry-store.js";
import type { RecordShape } from "./record-shape.js";
import type { MetricRow } from "./sample-reader.js";

const decoder = new TextDecoder();

/**
 * Returns the leaves of a row, or only their names.
 *
 * @example
 * const leaves = rows.map((row) => readLeaves(row, findShape, false));
 */
export function readLeaves(
  { at, position, shape, content }: MetricRow,
  shapeOf: (shape: number) => RecordShape,
  namesOnly: boolean,
): RecordLeaves {
  if (shape !== null) {
    const { leafNames: names, leaves } = shapeOf(shape);
    return { at, position, names, values: namesOnly ? [] : leaves(content) };
  }
  const found = flattenLeaves(JSON.parse(decoder.decode(content)) as JsonObject);
  const values = namesOnly ? [] : found.map(([, value]) => value);
  return { at, position, names: found.map(([name]) => name), values };
}
