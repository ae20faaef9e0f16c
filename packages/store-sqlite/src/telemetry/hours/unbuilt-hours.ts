import { bucketStart, hourMs, type Pacer } from "@device-gateway/core/store";
import type { Connection } from "../../database/connection.js";
import type { OpenHours } from "./open-hours.js";

/** A device's hours from `from` (inclusive) to `to` (exclusive). */
export interface HourRange {
  readonly device: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the hours of a range whose roll-up is missing or incomplete, ascending. It searches in
 * steps, because a device may have any number of records.
 */
export async function findUnbuilt(
  { readStep }: Pick<Connection, "readStep">,
  hours: OpenHours,
  { device, from, to }: HourRange,
  pacer: Pacer,
): Promise<number[]> {
  // From one snapshot: the hour of each record is open or rolled up, or the record is not followed.
  const { opened, followed } = await readStep(() => ({
    opened: hours.opened(device, from, to),
    followed: hours.followed(),
  }));
  const unbuilt = new Set(opened);
  for (let next = from; next < to; ) {
    const first = next;
    const { arrived, end } = await readStep(() => hours.arrived(device, first, to, followed));
    for (const hour of arrived) unbuilt.add(hour);
    const hour = bucketStart(end, hourMs);
    next = unbuilt.has(hour) ? hour + hourMs : end;
    if (next < to && pacer.isDue()) await pacer.turn();
  }
  return [...unbuilt].sort((a, b) => a - b);
}
