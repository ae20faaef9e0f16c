import { err, ok, type Result } from "neverthrow";
import { recordBounds } from "../contract/index.js";
import type { JsonObject } from "../shared/json.js";
import { isReserved, walkMetrics } from "./flatten-record.js";
import type { Rejection } from "./rejection.js";

/** Stands for the length of the name of what is no metric. */
const unnamed = Number.NEGATIVE_INFINITY;
/** Digits of a place in an array: no body is so large that there are more. */
const placeLength = 8;

const messages = {
  too_many_metrics: `A record has at most ${recordBounds.metrics} metrics.`,
  too_deep: `A record is at most ${recordBounds.depth} levels deep.`,
  name_too_long: `Names have at most ${recordBounds.nameLength} characters.`,
} as const;

function hasLongName(record: JsonObject): boolean {
  let isLong = false;
  walkMetrics(record, (name) => {
    isLong ||= name !== null && name.length > recordBounds.nameLength;
  });
  return isLong;
}

/** Counts the metrics of a record, if it is within the bounds of contract §4. */
export function checkBounds(record: JsonObject): Result<number, Rejection> {
  let metrics = 0;
  let broken: keyof typeof messages | undefined;
  let maybeLong = false;

  // Names are not made, only how long they are at most: this is run for every record that comes in.
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
        walk(value[n], longest + 1 + placeLength, depth + 1);
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
