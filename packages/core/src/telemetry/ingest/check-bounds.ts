import { err, ok, type Result } from "neverthrow";
import { recordBounds } from "../../contract/index.js";
import type { JsonObject } from "../../shared/json.js";
import { isReserved, walkMetrics } from "../flatten-record.js";
import type { Rejection } from "./rejection.js";

/** Stands for the name length of a value that is not a metric. */
const unnamed = Number.NEGATIVE_INFINITY;
/** Digits of the largest array index. No body is large enough for more. */
const indexLength = 8;

const messages = {
  too_many_metrics: `A record can have at most ${recordBounds.metrics} metrics. Send fewer.`,
  too_deep: `A record can be at most ${recordBounds.depth} levels deep. Nest it less.`,
  name_too_long: `A metric's name can have at most ${recordBounds.nameLength} characters. Use shorter names.`,
} as const;

function hasLongName(record: JsonObject): boolean {
  let isLong = false;
  walkMetrics(record, (name) => {
    isLong ||= name !== null && name.length > recordBounds.nameLength;
  });
  return isLong;
}

/** Returns the number of metrics of a record, or why it is not within the limits of §4. */
export function checkBounds(record: JsonObject): Result<number, Rejection> {
  let metrics = 0;
  let broken: keyof typeof messages | undefined;
  let maybeLong = false;

  // Computes an upper bound of a name's length instead of the name, because this runs for every record.
  const walk = (value: unknown, longest: number, depth: number): void => {
    if (depth > recordBounds.depth) {
      broken = "too_deep";
    } else if (typeof value === "number" || typeof value === "boolean") {
      if (longest === unnamed || !Number.isFinite(Number(value))) return;
      metrics += 1;
      if (longest > recordBounds.nameLength) maybeLong = true;
      if (metrics > recordBounds.metrics) broken = "too_many_metrics";
    } else if (Array.isArray(value)) {
      for (let n = 0; n < value.length && broken === undefined; n++) {
        walk(value[n], longest + 1 + indexLength, depth + 1);
      }
    } else if (typeof value === "object" && value !== null) {
      for (const key of Object.keys(value)) {
        if (broken !== undefined) return;
        walk((value as JsonObject)[key], longest + 1 + 2 * key.length, depth + 1);
      }
    }
  };
  for (const key of Object.keys(record)) {
    if (broken !== undefined) break;
    walk(record[key], isReserved(key) ? unnamed : 2 * key.length, 1);
  }
  if (broken === undefined && maybeLong && hasLongName(record)) broken = "name_too_long";
  return broken === undefined ? ok(metrics) : err({ code: broken, message: messages[broken] });
}
