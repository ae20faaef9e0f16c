import { nextTurn } from "../shared/next-turn.js";
import type { RollUpOutcome, TelemetryStore } from "./telemetry-store.js";

const hourMs = 3_600_000;

/** An hour of a device, by the store's number of the device. `hour` is its start in epoch milliseconds. */
export interface DeviceHour {
  readonly device: number;
  readonly hour: number;
}

/** How the hours of a step ended. Hours that are not closed changed while they were built, and are still open. */
export interface HoursOutcome {
  readonly closed: number;
  /** Hours that were not built because they have too many pages of records. */
  readonly heavy: readonly DeviceHour[];
}

export interface RollUpPassOptions {
  /** Returns up to `limit` open hours that ended before a time, the oldest first. */
  readonly ended: (before: number, limit: number) => Promise<readonly DeviceHour[]>;
  /** Builds hours, except those with more than `mostPages` pages of records. */
  readonly build: (hours: readonly DeviceHour[], mostPages: number) => Promise<HoursOutcome>;
  /** Hours that are built at once. */
  readonly stepHours: number;
  /** An hour with more pages of records is built after all others. */
  readonly lightPages: number;
}

/** The calls of `rollUp` with the same `before`, until no hours are left. */
interface Pass {
  readonly before: number;
  /** Hours that are not tried again: they changed while they were built, could not be built, or are heavy. */
  readonly tried: Set<string>;
  /** How many of the tried hours are open, at most. */
  open: number;
  readonly heavy: DeviceHour[];
  readonly failures: unknown[];
}

const nameOf = ({ device, hour }: DeviceHour) => `${device} ${hour}`;

/** Begins a pass. It keeps the heavy hours that the previous pass has not built. */
function beginPass(before: number, previous?: Pass): Pass {
  const heavy = previous?.heavy.filter(({ hour }) => hour + hourMs <= before) ?? [];
  return { before, tried: new Set(heavy.map(nameOf)), open: heavy.length, heavy, failures: [] };
}

/** Returns up to `limit` hours that the pass has not tried, and whether there may be more. */
async function nextHours(pass: Pass, limit: number, ended: RollUpPassOptions["ended"]) {
  const most = limit + pass.open;
  const found = await ended(pass.before, most);
  const hours = found.filter((hour) => !pass.tried.has(nameOf(hour)));
  pass.open = Math.max(pass.open, found.length - hours.length);
  const hasMore = found.length >= most || hours.length > limit;
  return { hours: hours.slice(0, limit), hasMore };
}

/** Notes that hours were tried. */
function note(pass: Pass, hours: readonly DeviceHour[], { closed, heavy }: HoursOutcome): void {
  pass.heavy.push(...heavy);
  if (closed === hours.length) return;
  for (const hour of hours) pass.tried.add(nameOf(hour));
  pass.open += hours.length - closed;
}

/**
 * Creates a function that builds the next open hours, in passes. An hour that cannot be built, that changes while it is
 * built, or that has many records does not delay the others: a pass tries it once, and rejects at its end if an hour could
 * not be built.
 */
export function createRollUpPasses({
  ended,
  build,
  stepHours,
  lightPages,
}: RollUpPassOptions): TelemetryStore["rollUp"] {
  let current = beginPass(Number.NaN);

  /** Builds hours, each alone if they cannot be built together. Returns how many are closed. */
  async function tryHours(
    pass: Pass,
    hours: readonly DeviceHour[],
    mostPages: number,
  ): Promise<number> {
    try {
      const outcome = await build(hours, mostPages);
      note(pass, hours, outcome);
      return outcome.closed;
    } catch (error) {
      if (hours.length === 1) {
        note(pass, hours, { closed: 0, heavy: [] });
        pass.failures.push(error);
        return 0;
      }
    }
    let closed = 0;
    for (const hour of hours) closed += await tryHours(pass, [hour], mostPages);
    return closed;
  }

  async function goOn(pass: Pass, limit: number): Promise<RollUpOutcome> {
    const { hours, hasMore } = await nextHours(pass, limit, ended);
    const failed = pass.failures.length;
    let [built, done] = [0, 0];
    // The call ends after a failure: if the database does not work any more, the next call rejects at once.
    while (done < hours.length && pass.failures.length === failed) {
      built += await tryHours(pass, hours.slice(done, done + stepHours), lightPages);
      done += stepHours;
      await nextTurn();
    }
    const heavy = hours.length === 0 ? pass.heavy.shift() : undefined;
    if (heavy !== undefined) built += await tryHours(pass, [heavy], Number.POSITIVE_INFINITY);
    return { built, more: done < hours.length || hasMore || pass.heavy.length > 0 };
  }

  return async ({ before, limit }) => {
    if (current.before !== before) current = beginPass(before, current);
    const pass = current;
    const outcome = await goOn(pass, limit);
    if (outcome.more) return outcome;
    current = beginPass(Number.NaN);
    if (pass.failures.length > 0) throw pass.failures[0];
    return outcome;
  };
}
