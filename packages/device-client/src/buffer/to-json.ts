import type { TelemetryRecordBody } from "@device-gateway/core/contract";
import { err, ok, type Result } from "neverthrow";
import { maxRequestBytes, requestBytes } from "./batch.js";
import type { BufferError } from "./buffer-error.js";
import { type Entry, toEntry } from "./journal.js";

const notARecord = (message: string): BufferError => ({ code: "not_a_record", message });

/**
 * Turns a reading into a buffer entry. A reading without a timestamp gets the current time, and its
 * id as `seq`, so that the server recognises it as a duplicate whenever it is sent again (§4).
 */
export function toTimedEntry(
  reading: TelemetryRecordBody,
  id: number,
  now: number,
): Result<Entry, BufferError> {
  const isObject = typeof reading === "object" && reading !== null && !Array.isArray(reading);
  if (!isObject) return err(notARecord("A record must be an object. Wrap the value in one."));
  // For the server, too, a null timestamp counts as absent (§4).
  const isTimed = reading["timestamp"] != null;
  const record = isTimed
    ? reading
    : { ...reading, timestamp: new Date(now).toISOString(), seq: reading["seq"] ?? id };
  let json: string;
  try {
    json = JSON.stringify(record);
  } catch (fault) {
    return err(notARecord(`The record cannot be serialised as JSON: ${String(fault)}`));
  }
  const entry = toEntry(id, json);
  if (entry.bytes + requestBytes <= maxRequestBytes) return ok(entry);
  const message = `The record has ${entry.bytes} bytes, but a request may have at most ${maxRequestBytes}. Split the record.`;
  return err({ code: "record_too_large", message });
}
