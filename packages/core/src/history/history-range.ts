import { err, ok, type Result } from "neverthrow";
import { hourMs } from "../shared/durations.js";
import type { Failure } from "../shared/failure.js";
import { parseTimestamp } from "../shared/timestamp.js";

export interface RangeQuery {
  readonly hours?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A range of time in epoch milliseconds. Its end is exclusive. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

const invalid = (path: string, message: string) =>
  err({ code: "invalid_request" as const, errors: [{ path, code: "invalid", message }] });

/** Parses a time of a query, in which epoch milliseconds are digits. */
const timeOf = (text: string) => parseTimestamp(/^\d{1,15}$/.test(text) ? Number(text) : text);

/** Returns the range of a query: `from` and `to`, or the last hours (§7). */
export function parseRange(
  { hours, from, to }: RangeQuery,
  now: number,
  defaultHours: number,
): Result<TimeRange, Failure<"invalid_request">> {
  const message = "Send ISO 8601 with a time zone, or milliseconds since the epoch.";
  const end = to === undefined ? now : timeOf(to);
  if (end === undefined) return invalid("to", message);
  const length = hours === undefined ? defaultHours : Number(hours);
  const start = from === undefined ? end - length * hourMs : timeOf(from);
  if (start === undefined) return invalid("from", message);
  if (start >= end)
    return invalid(
      "from",
      "The range must start before it ends. Send an earlier `from` or a later `to`.",
    );
  return ok({ from: Math.floor(start), to: end });
}
