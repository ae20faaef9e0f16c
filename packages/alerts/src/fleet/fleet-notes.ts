import type { AlertWatch, JsonObject } from "@device-gateway/core/store";

/** What the evaluator keeps about the fleet. Times are epoch milliseconds. */
export interface FleetNotes {
  /** The heartbeat: when all devices were last judged. */
  readonly beatAt: number;
  /** The end of the latest outage of the service. Silence before it does not count. */
  readonly countedFrom: number;
  /** All events up to this id are judged. */
  readonly eventId: number;
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

export const readFleetNotes = ({ content }: AlertWatch): FleetNotes => ({
  beatAt: numberOf(content["beatAt"]),
  countedFrom: numberOf(content["countedFrom"]),
  eventId: numberOf(content["eventId"]),
});

export const toFleetContent = (notes: FleetNotes): JsonObject => ({ ...notes });

/**
 * Returns whether the heartbeat is newer than `ms`. A heartbeat in the future does not count: it was written by a clock
 * that was ahead.
 */
export const isBeating = ({ beatAt }: FleetNotes, now: number, ms: number): boolean =>
  beatAt <= now && now - beatAt < ms;

/**
 * Returns the time from which silence counts in a round that starts now. If the heartbeat is older than `outageMs`, not
 * all devices were judged, and silence counts from now on. It never counts from the future, which a clock that was ahead
 * may have written.
 */
export const countFrom = (notes: FleetNotes, now: number, outageMs: number): number =>
  now - notes.beatAt > outageMs ? now : Math.min(notes.countedFrom, now);
