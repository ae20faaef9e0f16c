import { z } from "zod";

const IsoWithZone = z.iso.datetime({ offset: true });

/** The last second that was written, and how, up to its milliseconds. */
let second = Number.NaN;
let written = "";

/** Writes epoch milliseconds as ISO 8601 in UTC, with milliseconds (contract §0). */
export function toTimestamp(epochMs: number): string {
  const whole = Math.floor(epochMs / 1000);
  // Every answer says what time it is: thousands of them the same second.
  if (whole !== second) {
    written = new Date(whole * 1000).toISOString().slice(0, -4);
    second = whole;
  }
  return `${written}${String(Math.floor(epochMs - whole * 1000)).padStart(3, "0")}Z`;
}

/** The same of what may not have happened yet. */
export const toTimestampOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs === null || epochMs === undefined ? null : toTimestamp(epochMs);

/**
 * Reads a time of a request: ISO 8601 with a zone, or epoch milliseconds as a number (contract
 * §0). Undefined when it is neither.
 */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? Math.floor(value) : undefined;
  if (!IsoWithZone.safeParse(value).success) return undefined;
  const epochMs = Date.parse(value as string);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}
