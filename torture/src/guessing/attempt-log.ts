/** A wrong guess that the gateway checked. */
export interface WrongAttempt {
  readonly at: number;
  /** The customer or the address. */
  readonly who: string;
  readonly deviceId: string;
}

/** How many guesses of one kind §9 allows. */
export interface Allowance {
  /** By one guesser on one device, in 15 minutes. */
  readonly pair: number;
  /** By one guesser on all devices, in an hour. */
  readonly alone: number;
  /** By all guessers on one device, in an hour. */
  readonly device: number;
  /** By each guesser beyond the device's budget. */
  readonly guaranteed: number;
}

export const claimAllowance: Allowance = { pair: 5, alone: 30, device: 50, guaranteed: 3 };
export const registerAllowance: Allowance = { pair: 5, alone: Infinity, device: 50, guaranteed: 1 };

const minute = 60_000;
const hour = 60 * minute;

const groupBy = (attempts: readonly WrongAttempt[], keyOf: (one: WrongAttempt) => string) => {
  const groups = new Map<string, WrongAttempt[]>();
  for (const one of attempts) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
};

/** Returns the most attempts in any window of `length` ms. An attempt counts while `now < at + length`. */
function mostInWindow(attempts: readonly WrongAttempt[], length: number): number {
  let most = 0;
  let first = 0;
  for (const [last, { at }] of attempts.entries()) {
    while ((attempts[first]?.at ?? at) <= at - length) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/**
 * Returns the most attempts on one device in an hour, without those that each guesser may make beyond the
 * device's budget. The order of attempts at the same instant is unknown, so the order that favours the
 * gateway is assumed.
 */
function mostBeyondGuarantee(attempts: readonly WrongAttempt[], guaranteed: number): number {
  const ofGuesser = new Map<string, number[]>();
  const instants = new Map<number, { before: number; beyond: number }>();
  let first = 0;
  for (const [place, { at, who }] of attempts.entries()) {
    while ((attempts[first]?.at ?? at) <= at - hour) first++;
    const own = (ofGuesser.get(who) ?? []).filter((time) => time > at - hour);
    const instant = instants.get(at) ?? { before: place - first, beyond: 0 };
    if (own.length >= guaranteed) instant.beyond++;
    instants.set(at, instant);
    ofGuesser.set(who, [...own, at]);
  }
  const counts = [...instants.values()]
    .filter(({ beyond }) => beyond > 0)
    .map(({ before, beyond }) => before + beyond);
  return Math.max(0, ...counts);
}

/** The number of checked guesses in the fullest window of each kind. */
export interface Reach {
  readonly pair: number;
  readonly alone: number;
  readonly device: number;
}

/** Counts the checked guesses in a log, which must be sorted by time. */
export function reachOf(attempts: readonly WrongAttempt[], { guaranteed }: Allowance): Reach {
  const most = (groups: Map<string, WrongAttempt[]>, measure: (group: WrongAttempt[]) => number) =>
    Math.max(0, ...[...groups.values()].map(measure));
  const pairOf = ({ who, deviceId }: WrongAttempt) => JSON.stringify([who, deviceId]);
  return {
    pair: most(groupBy(attempts, pairOf), (group) => mostInWindow(group, 15 * minute)),
    alone: most(
      groupBy(attempts, ({ who }) => who),
      (group) => mostInWindow(group, hour),
    ),
    device: most(
      groupBy(attempts, ({ deviceId }) => deviceId),
      (group) => mostBeyondGuarantee(group, guaranteed),
    ),
  };
}

/** Describes where the reach exceeds the allowance. */
export function describeExcess(kind: string, reach: Reach, allowance: Allowance): string[] {
  return (["pair", "alone", "device"] as const)
    .filter((name) => reach[name] > allowance[name])
    .map((name) => `${kind}: ${reach[name]} wrong guesses (${name}), ${allowance[name]} allowed`);
}
