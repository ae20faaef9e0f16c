/** A bounded queue that is fair to groups, and within each group to its members. */
export interface FairLane<Item> {
  readonly size: number;
  /**
   * Adds an item at the end of its path. Returns the item that loses its place when the lane is full, which
   * may be the new one: the newest of the group that has the most.
   */
  add(path: readonly string[], item: Item): Item | undefined;
  /** Takes the next item; undefined when the lane is empty. */
  take(): Item | undefined;
  /** Records a turn of a path that did not have to wait. */
  countTurn(path: readonly string[]): void;
  /** Removes all items that the predicate holds for. */
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
 * For so many turns after its own, a group lets those pass that come later. So a newcomer overtakes
 * everybody who was served lately, and no stream of newcomers holds up a group for longer.
 */
export const overtakingTurns = 32;

export function createFairLane<Item>(capacity: number): FairLane<Item> {
  let places: Place<Item>[] = [];
  let turn = 0;
  /** When each group had its latest turn. */
  const latestTurns = new Map<string, number>();

  const nameOf = (path: readonly string[], level: number) =>
    JSON.stringify(path.slice(0, level + 1));
  const namesOf = (path: readonly string[]) => [...path.keys()].map((level) => nameOf(path, level));

  /** Forgets turns that no longer matter: of groups where nothing waits, and long ago. */
  function forgetTurns(): void {
    const waiting = new Set(places.flatMap(({ path }) => namesOf(path)));
    for (const [name, latest] of latestTurns) {
      if (latest + overtakingTurns <= turn && !waiting.has(name)) latestTurns.delete(name);
    }
  }

  function countTurn(path: readonly string[]): void {
    turn++;
    for (const name of namesOf(path)) latestTurns.set(name, turn);
    if (turn % overtakingTurns === 0) forgetTurns();
  }

  /** The turn that a group queues as of. */
  function dueAt([oldest]: Group<Item>, level: number): number {
    const latest = latestTurns.get(nameOf(oldest.path, level));
    return latest === undefined ? oldest.since : Math.max(oldest.since, latest + overtakingTurns);
  }

  /** Goes down the levels, at each into the group that no other one precedes. */
  function narrow(precedes: (a: Group<Item>, b: Group<Item>, level: number) => boolean) {
    let rest: readonly Place<Item>[] = places;
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
      return places.length > capacity ? removePlace(narrow(isLonger).at(-1)) : undefined;
    },
    take() {
      const [next] = narrow(isDueBefore);
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
