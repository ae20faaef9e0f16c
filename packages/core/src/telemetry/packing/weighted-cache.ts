/** A map with a limit on the total weight of its entries. It may forget any entry at any time. */
export interface WeightedCache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value, weight: number): void;
  clear(): void;
}

/** Weight that each entry has in addition, so that the number of light entries is limited too. */
const entryWeight = 512;

/**
 * Creates a cache with a limited total weight. The entry that was set first is removed first.
 *
 * @example
 * const pages = createWeightedCache<string, Page>(64 * 1024 * 1024);
 */
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
