import { z } from "zod";

const IsoWithZone = z.iso.datetime({ offset: true });

/** The second of the last call, and its text without the milliseconds. */
let second = Number.NaN;
let written = "";

/** Formats epoch milliseconds as ISO 8601 in UTC with milliseconds (§0). */
export function toTimestamp(epochMs: number): string {
  const whole = Math.floor(epochMs / 1000);
  // Many responses contain the current time, thousands of them in the same second.
  if (whole !== second) {
    written = new Date(whole * 1000).toISOString().slice(0, -4);
    second = whole;
  }
  return `${written}${String(Math.floor(epochMs - whole * 1000)).padStart(3, "0")}Z`;
}

/** Like `toTimestamp`. Returns null if there is no time. */
export const toTimestampOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs === null || epochMs === undefined ? null : toTimestamp(epochMs);

/**
 * Parses a time of a request: ISO 8601 with a time zone, or epoch milliseconds as a number (§0). Returns undefined if
 * it is neither.
 */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? Math.floor(value) : undefined;
  if (!IsoWithZone.safeParse(value).success) return undefined;
  const epochMs = Date.parse(value as string);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}
