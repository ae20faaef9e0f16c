import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { dayMs, hourMs } from "../shared/durations.js";
import { nextTurn } from "../shared/next-turn.js";
import type { RollUpOutcome, TelemetryStore } from "./telemetry-store.js";

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
  /** Returns the time in epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
}

/** The calls of `rollUp` with the same `before`, until no hours are left. */
interface Pass {
  readonly before: number;
  /** Hours that are not tried again: they changed while they were built, could not be built, or are heavy. */
  readonly tried: Set<string>;
  /** How many of the tried hours are open, at most. */
  open: number;
  readonly failures: unknown[];
  /** How long heavy hours were built, in milliseconds. */
  heavyMs: number;
  /** Number of consecutive attempts that the store did not answer. */
  unanswered: number;
}

/** Passes at the same time. If there are more, the oldest is forgotten. */
const mostPasses = 4;
/** After this many attempts in a row that the store did not answer, the pass ends: the hours are not the cause. */
const mostUnanswered = 3;
/**
 * After this many milliseconds a pass begins no further heavy hour. The others wait for the next pass, because a device can
 * open its heavy hours again with one late record each, as often as it likes.
 */
const mostHeavyMs = 60_000;

const nameOf = ({ device, hour }: DeviceHour) => `${device} ${hour}`;

/**
 * Creates a function that builds the next open hours, in passes. An hour that cannot be built, that changes while it is
 * built, or that has many records does not delay the others: a pass tries it once, and rejects at its end if an hour could
 * not be built. Hours with many records are built last, in turn, and those that a pass has no time for are built by the
 * next passes.
 *
 * @example
 * const rollUp = createRollUpPasses({ ended: listEndedHours, build: buildHours, stepHours: 16, lightPages: 64 });
 * const { built, more } = await rollUp({ before: Date.now(), limit: 100 });
 */
export function createRollUpPasses({
  ended,
  build,
  stepHours,
  lightPages,
  now = Date.now,
}: RollUpPassOptions): TelemetryStore["rollUp"] {
  const passes = new Map<number, Pass>();
  /**
   * Hours that have too many records to be built before the others, by name. The first is built next. One that is opened
   * again becomes the last.
   */
  const heavy = new Map<string, DeviceHour>();

  function findPass(before: number): Pass {
    const known = passes.get(before);
    if (known !== undefined) return known;
    const pass: Pass = {
      before,
      tried: new Set(),
      open: 0,
      failures: [],
      heavyMs: 0,
      unanswered: 0,
    };
    passes.set(before, pass);
    const [oldest = before] = passes.keys();
    if (passes.size > mostPasses) passes.delete(oldest);
    return pass;
  }

  /** Returns up to `limit` hours that the pass has not tried, and whether there may be more. */
  async function nextHours(pass: Pass, limit: number) {
    const most = limit + pass.open + heavy.size;
    const found = await ended(pass.before, most);
    const tried = found.filter((hour) => pass.tried.has(nameOf(hour))).length;
    pass.open = Math.max(pass.open, tried);
    const hours = found.filter((hour) => !pass.tried.has(nameOf(hour)) && !heavy.has(nameOf(hour)));
    const hasMore = found.length >= most || hours.length > limit;
    return { hours: hours.slice(0, limit), hasMore };
  }

  /** Notes that hours were tried. */
  function note(pass: Pass, hours: readonly DeviceHour[], outcome: HoursOutcome): void {
    for (const hour of outcome.heavy) heavy.set(nameOf(hour), hour);
    if (outcome.closed === hours.length) return;
    for (const hour of hours) if (!heavy.has(nameOf(hour))) pass.tried.add(nameOf(hour));
    pass.open += hours.length - outcome.closed;
  }

  /** Builds hours, each alone if they cannot be built together. Returns how many are closed. */
  async function tryHours(
    pass: Pass,
    hours: readonly DeviceHour[],
    mostPages: number,
  ): Promise<number> {
    try {
      const outcome = await build(hours, mostPages);
      pass.unanswered = 0;
      note(pass, hours, outcome);
      return outcome.closed;
    } catch (error) {
      pass.unanswered = error instanceof StoreUnavailableError ? pass.unanswered + 1 : 0;
      if (pass.unanswered >= mostUnanswered) throw error;
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

  /**
   * Returns whether the pass may begin a heavy hour. A pass over hours that ended more than a day ago has no limit:
   * afterwards, maintenance deletes the oldest records, which must be in a roll-up. No late record opens those hours again.
   */
  const mayBuildHeavy = ({ before, heavyMs }: Pass): boolean =>
    heavyMs < mostHeavyMs || before < now() - dayMs;

  /** Returns the next hour with many records, if the pass may begin one. */
  function findHeavy(pass: Pass): DeviceHour | undefined {
    if (!mayBuildHeavy(pass)) return undefined;
    const { before, tried } = pass;
    for (const hour of heavy.values()) {
      if (hour.hour + hourMs <= before && !tried.has(nameOf(hour))) return hour;
    }
    return undefined;
  }

  /** Builds an hour with many records. Returns how many are closed. */
  async function buildHeavy(pass: Pass, hour: DeviceHour): Promise<number> {
    const begunAt = now();
    heavy.delete(nameOf(hour));
    const closed = await tryHours(pass, [hour], Number.POSITIVE_INFINITY);
    // The clock may have been set back meanwhile.
    pass.heavyMs += Math.max(0, now() - begunAt);
    return closed;
  }

  async function goOn(pass: Pass, limit: number): Promise<RollUpOutcome> {
    const { hours, hasMore } = await nextHours(pass, limit);
    const failed = pass.failures.length;
    let [built, done] = [0, 0];
    while (done < hours.length && pass.failures.length === failed) {
      built += await tryHours(pass, hours.slice(done, done + stepHours), lightPages);
      done += stepHours;
      await nextTurn();
    }
    if (done < hours.length || hasMore) return { built, more: true };
    const last = hours.length === 0 ? findHeavy(pass) : undefined;
    if (last !== undefined) built += await buildHeavy(pass, last);
    return { built, more: findHeavy(pass) !== undefined };
  }

  return async ({ before, limit }) => {
    const pass = findPass(before);
    try {
      const outcome = await goOn(pass, limit);
      if (outcome.more) return outcome;
      if (pass.failures.length > 0) throw pass.failures[0];
      passes.delete(before);
      return outcome;
    } catch (error) {
      passes.delete(before);
      throw error;
    }
  };
}
