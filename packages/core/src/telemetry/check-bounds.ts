import { err, ok, type Result } from "neverthrow";
import { recordBounds } from "../contract/index.js";
import type { JsonObject } from "../json.js";
import { escapeName, isReserved } from "./flatten-record.js";
import type { Rejection } from "./rejection.js";

/** Stands for the name of what is no metric. */
const unnamed = -1;

const messages = {
  too_many_metrics: `A record has at most ${recordBounds.metrics} metrics.`,
  too_deep: `A record is at most ${recordBounds.depth} levels deep.`,
  name_too_long: `Names have at most ${recordBounds.nameLength} characters.`,
} as const;

/** Counts the metrics of a record, if it is within the bounds of contract §4. */
export function checkBounds(record: JsonObject): Result<number, Rejection> {
  let metrics = 0;
  let broken: keyof typeof messages | undefined;

  // Names are measured, not made: this is run for every record that comes in.
  const walk = (value: unknown, nameLength: number, depth: number): void => {
    if (broken !== undefined) return;
    if (depth > recordBounds.depth) {
      broken = "too_deep";
    } else if (typeof value === "number" || typeof value === "boolean") {
      if (nameLength === unnamed || !Number.isFinite(Number(value))) return;
      metrics += 1;
      if (nameLength > recordBounds.nameLength) broken = "name_too_long";
      else if (metrics > recordBounds.metrics) broken = "too_many_metrics";
    } else if (Array.isArray(value)) {
      for (let n = 0; n < value.length; n++) {
        walk(value[n], under(nameLength, String(n)), depth + 1);
      }
    } else if (typeof value === "object" && value !== null) {
      for (const key of Object.keys(value)) {
        walk((value as JsonObject)[key], under(nameLength, key), depth + 1);
      }
    }
  };
  for (const key of Object.keys(record)) {
    walk(record[key], isReserved(key) ? unnamed : escapeName(key).length, 1);
  }
  return broken === undefined ? ok(metrics) : err({ code: broken, message: messages[broken] });
}

const under = (nameLength: number, key: string) =>
  nameLength === unnamed ? unnamed : nameLength + 1 + escapeName(key).length;
