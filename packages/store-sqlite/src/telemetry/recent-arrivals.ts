import type { Database } from "../database/database.js";

/** Finds the new records of a device without reading those of all other devices. */
export interface RecentArrivals {
  /**
   * Returns the positions after `after` of a device's records, in ascending order. `last` is the last position of all
   * records. Null if `after` is too far back. Positions of deleted records may be among them.
   */
  after(device: number, after: number, last: number): readonly number[] | null;
}

export interface ArrivalLimits {
  /**
   * Records that one call reads. After more arrivals than this, it forgets the earlier ones, so that no call takes
   * longer than a few milliseconds.
   */
  readonly step: number;
  /** Records of a generation. The current one and the one before are remembered. */
  readonly generation: number;
}

/** For each device, the positions of its records in ascending order. */
type Positions = Map<number, number[]>;

/** Returns the part of an ascending list that is greater than `after`. */
function greaterThan(positions: readonly number[], after: number): readonly number[] {
  let [from, to] = [0, positions.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((positions[middle] ?? 0) > after) to = middle;
    else from = middle + 1;
  }
  return positions.slice(from);
}

/**
 * Remembers which devices sent the last 65,536 to 131,072 records. It reads each record's device once. Alerts and live
 * streams of a large fleet would otherwise read the records of all devices for each device.
 */
export function createRecentArrivals(
  database: Database,
  { step, generation }: ArrivalLimits = { step: 10_000, generation: 65_536 },
): RecentArrivals {
  const arrivals = database.prepare<[number, number], { position: number; device: number }>(
    `SELECT position, device FROM telemetry WHERE position > ? AND position <= ?
     ORDER BY position`,
  );
  let before: Positions = new Map();
  let current: Positions = new Map();
  /** The positions before the first record of each generation. */
  let [beforeFrom, currentFrom] = [0, 0];
  let size = 0;
  let readTo = Number.POSITIVE_INFINITY;

  function startAfter(position: number): void {
    before = new Map();
    current = new Map();
    beforeFrom = currentFrom = readTo = position;
    size = 0;
  }

  function add(device: number, position: number): void {
    if (size === generation) {
      before = current;
      current = new Map();
      [beforeFrom, currentFrom] = [currentFrom, position - 1];
      size = 0;
    }
    const positions = current.get(device);
    if (positions === undefined) current.set(device, [position]);
    else positions.push(position);
    size += 1;
  }

  function readUpTo(last: number): void {
    if (last < readTo || last - readTo > step) startAfter(Math.max(0, last - step));
    if (last === readTo) return;
    for (const { position, device } of arrivals.iterate(readTo, last)) {
      add(device, position);
      // If the next row cannot be read, the following call goes on from here.
      readTo = position;
    }
    readTo = last;
  }

  return {
    after(device, after, last) {
      readUpTo(last);
      if (after < beforeFrom) return null;
      return [before, current].flatMap((positions) =>
        greaterThan(positions.get(device) ?? [], after),
      );
    },
  };
}
