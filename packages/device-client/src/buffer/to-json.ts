import type { TelemetryRecordBody } from "@device-gateway/core/contract";
import { err, ok, type Result } from "neverthrow";
import { maxRequestBytes, requestBytes } from "./batch.js";
import type { BufferError } from "./buffer-error.js";
import { type Entry, toEntry } from "./journal.js";

const notARecord = (message: string): BufferError => ({ code: "not_a_record", message });

/**
 * Makes an entry of a reading. One without a timestamp gets the time, and its number as `seq`:
 * so the server knows it again however often and late it comes (contract §4).
 */
export function toTimedEntry(
  reading: TelemetryRecordBody,
  id: number,
  now: number,
): Result<Entry, BufferError> {
  const isObject = typeof reading === "object" && reading !== null && !Array.isArray(reading);
  if (!isObject) return err(notARecord("A record is an object. Wrap the value in one."));
  // The server takes null for absent, too (contract §4).
  const isTimed = reading["timestamp"] != null;
  const record = isTimed
    ? reading
    : { ...reading, timestamp: new Date(now).toISOString(), seq: reading["seq"] ?? id };
  let json: string;
  try {
    json = JSON.stringify(record);
  } catch (fault) {
    return err(notARecord(`The record can't be written as JSON: ${String(fault)}`));
  }
  const entry = toEntry(id, json);
  if (entry.bytes + requestBytes <= maxRequestBytes) return ok(entry);
  const message = `The record has ${entry.bytes} bytes, and a request at most ${maxRequestBytes}. Split it.`;
  return err({ code: "record_too_large", message });
}
