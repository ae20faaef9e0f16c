import { err, ok, type Result } from "neverthrow";
import { recordBounds } from "../contract/index.js";
import type { JsonObject } from "../json.js";
import type { Metric } from "./metric.js";
import type { Rejection } from "./rejection.js";

/** Say when and what, but are no measurements. */
const reserved = new Set(["timestamp", "seq", "ota"]);

/** Dots and backslashes inside a name are escaped, so that no two paths share a name. */
export const escapeName = (name: string) =>
  /[.\\]/.test(name) ? name.replaceAll(/[.\\]/g, "\\$&") : name;

/**
 * Lists every finite number and boolean of a record with its path as its name, such as
 * `cellVoltages.0.voltage`, in the record's order (contract §4).
 */
export function flattenRecord(record: JsonObject): Result<readonly Metric[], Rejection> {
  const metrics: Metric[] = [];
  let rejection: Rejection | undefined;

  const refuse = (code: Rejection["code"], message: string) => {
    rejection ??= { code, message };
  };
  const add = (name: string, value: number) => {
    if (name.length > recordBounds.nameLength) {
      refuse("name_too_long", `Names have at most ${recordBounds.nameLength} characters: ${name}`);
    } else if (metrics.push({ name, value }) > recordBounds.metrics) {
      refuse("too_many_metrics", `A record has at most ${recordBounds.metrics} metrics.`);
    }
  };
  const walk = (value: unknown, name: string, depth: number, measured: boolean) => {
    if (rejection !== undefined) return;
    if (depth > recordBounds.depth) {
      refuse("too_deep", `A record is at most ${recordBounds.depth} levels deep.`);
    } else if (typeof value === "number") {
      if (measured && Number.isFinite(value)) add(name, value);
    } else if (typeof value === "boolean") {
      if (measured) add(name, value ? 1 : 0);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        walk(member, `${name}.${escapeName(key)}`, depth + 1, measured);
      }
    }
  };
  for (const [key, member] of Object.entries(record)) {
    walk(member, escapeName(key), 1, !reserved.has(key));
  }
  return rejection === undefined ? ok(metrics) : err(rejection);
}
