import { z } from "zod";

const IsoWithZone = z.iso.datetime({ offset: true });

/** Writes epoch milliseconds as ISO 8601 in UTC, with milliseconds (contract §0). */
export const toTimestamp = (epochMs: number): string => new Date(epochMs).toISOString();

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
