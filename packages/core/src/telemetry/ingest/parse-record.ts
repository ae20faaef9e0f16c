import { err, type Result } from "neverthrow";
import { isJsonObject } from "../../shared/json.js";
import { parseTimestamp, toTimestamp } from "../../shared/timestamp.js";
import type { TelemetryRecord } from "../telemetry-store.js";
import { checkBounds } from "./check-bounds.js";
import type { Rejection } from "./rejection.js";

/** The accepted timestamps of records in epoch milliseconds. Both bounds are inclusive. */
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

/** Validates one record of a request by the rules of §4. */
export function parseRecord(value: unknown, times: AcceptedTimes): Result<ParsedRecord, Rejection> {
  if (!isJsonObject(value)) return reject("not_an_object", "A record must be a JSON object.");

  const isTimed = !isAbsent(value["timestamp"]);
  const at = isTimed ? parseTimestamp(value["timestamp"]) : times.receivedAt;
  if (at === undefined) {
    return reject(
      "invalid_timestamp",
      "Send ISO 8601 with a time zone, or milliseconds since the epoch.",
    );
  }
  if (at < times.oldest || at > times.newest) {
    const [from, to] = [toTimestamp(times.oldest), toTimestamp(times.newest)];
    return reject("timestamp_out_of_range", `Send a timestamp from ${from} to ${to}, or none.`);
  }

  const seq = isAbsent(value["seq"]) ? null : value["seq"];
  if (seq !== null && !Number.isSafeInteger(seq)) {
    return reject("invalid_seq", "seq must be an integer between -2^53 and 2^53.");
  }

  return checkBounds(value).map((metricCount) => ({
    record: { at, seq: seq as number | null, isTimed, value },
    metricCount,
  }));
}
