import { err, type Result } from "neverthrow";
import { isJsonObject } from "../shared/json.js";
import { parseTimestamp, toTimestamp } from "../shared/timestamp.js";
import { checkBounds } from "./check-bounds.js";
import type { Rejection } from "./rejection.js";
import type { TelemetryRecord } from "./telemetry-store.js";

/** The times that a record may carry, in epoch milliseconds, both inclusive. */
export interface AcceptedTimes {
  readonly receivedAt: number;
  readonly oldest: number;
  readonly newest: number;
}

export interface ParsedRecord {
  readonly record: TelemetryRecord;
  readonly metricCount: number;
}

const reject = (code: Rejection["code"], message: string) => err({ code, message });
const isAbsent = (value: unknown) => value === undefined || value === null;

/** Checks one record of a request against the rules of contract §4. */
export function parseRecord(value: unknown, times: AcceptedTimes): Result<ParsedRecord, Rejection> {
  if (!isJsonObject(value)) return reject("not_an_object", "A record is a JSON object.");

  const isTimed = !isAbsent(value["timestamp"]);
  const at = isTimed ? parseTimestamp(value["timestamp"]) : times.receivedAt;
  if (at === undefined) {
    return reject("invalid_timestamp", "Use ISO 8601 with a zone, or epoch milliseconds.");
  }
  if (at < times.oldest || at > times.newest) {
    const [from, to] = [toTimestamp(times.oldest), toTimestamp(times.newest)];
    return reject("timestamp_out_of_range", `Accepted now: from ${from} to ${to}.`);
  }

  const seq = isAbsent(value["seq"]) ? null : value["seq"];
  if (seq !== null && !Number.isSafeInteger(seq)) {
    return reject("invalid_seq", "seq is an integer between -2^53 and 2^53.");
  }

  return checkBounds(value).map((metricCount) => ({
    record: { at, seq: seq as number | null, isTimed, value },
    metricCount,
  }));
}
