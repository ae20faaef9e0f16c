/** A map whose entries together have at most some weight. What it was given it may forget at any time. */
export interface WeightedCache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value, weight: number): void;
  clear(): void;
}

/** What an entry weighs besides, so that many light ones have a bound too. */
const entryWeight = 512;

/** Creates a cache of at most so much weight, in which the entry that was set first makes room. */
export function createWeightedCache<Key, Value>(capacity: number): WeightedCache<Key, Value> {
  const entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  let total = 0;

  function remove(key: Key): void {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  return {
    get: (key) => entries.get(key)?.value,
    set(key, value, weight) {
      remove(key);
      entries.set(key, { value, weight: weight + entryWeight });
      total += weight + entryWeight;
      for (const oldest of entries.keys()) {
        if (total <= capacity) break;
        remove(oldest);
      }
    },
    clear() {
      entries.clear();
      total = 0;
    },
  };
}
