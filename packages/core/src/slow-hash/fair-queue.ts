/** A bounded queue that is fair to groups, and within each group to its members. */
export interface FairQueue<Item> {
  /** The number of items that wait. */
  readonly size: number;
  /**
   * Adds an item. If the queue is full, removes and returns the newest item of the group that has the most, which
   * may be the new item.
   */
  add(path: readonly string[], item: Item): Item | undefined;
  /** Removes and returns the next item that the predicate accepts, or undefined if there is none. */
  take(accepts: (item: Item) => boolean): Item | undefined;
  /** Records a turn of a path whose item did not have to wait. */
  countTurn(path: readonly string[]): void;
  /** Removes and returns all items that the predicate accepts. */
  remove(predicate: (item: Item) => boolean): Item[];
}

interface Place<Item> {
  readonly item: Item;
  readonly path: readonly string[];
  /** The turn when it was added. */
  readonly since: number;
}

/** Places that share their path up to a level, the oldest first. */
type Group<Item> = readonly [Place<Item>, ...Place<Item>[]];

/**
 * After its turn, a group lets items that arrive during this many turns overtake it. So a newcomer overtakes every
 * group that was served recently, and a stream of newcomers cannot delay a group for longer.
 */
export const overtakingTurns = 32;

/** Creates a queue for at most `capacity` items. */
export function createFairQueue<Item>(capacity: number): FairQueue<Item> {
  let places: Place<Item>[] = [];
  let turn = 0;
  /** The latest turn of each group. */
  const latestTurns = new Map<string, number>();

  const nameOf = (path: readonly string[], level: number) =>
    JSON.stringify(path.slice(0, level + 1));
  const namesOf = (path: readonly string[]) => [...path.keys()].map((level) => nameOf(path, level));

  /** Deletes old turns of groups without waiting items, because they no longer matter. */
  function deleteOldTurns(): void {
    const waiting = new Set(places.flatMap(({ path }) => namesOf(path)));
    for (const [name, latest] of latestTurns) {
      if (latest + overtakingTurns <= turn && !waiting.has(name)) latestTurns.delete(name);
    }
  }

  function countTurn(path: readonly string[]): void {
    turn++;
    for (const name of namesOf(path)) latestTurns.set(name, turn);
    if (turn % overtakingTurns === 0) deleteOldTurns();
  }

  /** Returns the turn from which a group's place in the queue counts. */
  function dueAt([oldest]: Group<Item>, level: number): number {
    const latest = latestTurns.get(nameOf(oldest.path, level));
    return latest === undefined ? oldest.since : Math.max(oldest.since, latest + overtakingTurns);
  }

  /** Descends from the widest groups to the narrowest, on each level into the group that comes first. */
  function narrow(
    among: readonly Place<Item>[],
    precedes: (a: Group<Item>, b: Group<Item>, level: number) => boolean,
  ) {
    let rest = among;
    for (let level = 0; rest[0]?.path[level] !== undefined; level++) {
      const groups = new Map<string | undefined, [Place<Item>, ...Place<Item>[]]>();
      for (const place of rest) {
        const group = groups.get(place.path[level]);
        if (group === undefined) groups.set(place.path[level], [place]);
        else group.push(place);
      }
      rest = [...groups.values()].reduce((best, group) =>
        precedes(group, best, level) ? group : best,
      );
    }
    return rest;
  }

  const isDueBefore = (a: Group<Item>, b: Group<Item>, level: number) =>
    dueAt(a, level) < dueAt(b, level);
  const isLonger = (a: Group<Item>, b: Group<Item>, level: number) =>
    a.length === b.length ? dueAt(a, level) >= dueAt(b, level) : a.length > b.length;

  function removePlace(place: Place<Item> | undefined): Item | undefined {
    places = places.filter((other) => other !== place);
    return place?.item;
  }

  return {
    get size() {
      return places.length;
    },
    add(path, item) {
      places.push({ item, path, since: turn });
      return places.length > capacity ? removePlace(narrow(places, isLonger).at(-1)) : undefined;
    },
    take(accepts) {
      const accepted = places.filter(({ item }) => accepts(item));
      const [next] = narrow(accepted, isDueBefore);
      if (next !== undefined) countTurn(next.path);
      return removePlace(next);
    },
    countTurn,
    remove(predicate) {
      const removed = places.filter(({ item }) => predicate(item));
      if (removed.length > 0) places = places.filter(({ item }) => !predicate(item));
      return removed.map(({ item }) => item);
    },
  };
}
