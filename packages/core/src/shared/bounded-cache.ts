/** A full cache accepts one in this many new keys. */
const admitOneIn = 8;

/** A map with a capacity. It may drop any value at any time. */
export interface BoundedCache<Value, Key = string> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
}

/**
 * Creates a cache of at most `capacity` values. A full cache accepts only a few new keys, each in place of a random
 * one. With least-recently-used eviction, if more devices than the capacity report in turn, each entry would be evicted
 * before its next lookup.
 *
 * @example
 * const numbers = createBoundedCache<number>(100_000);
 * numbers.set("gw-1", 7);
 * numbers.get("gw-1"); // 7, or undefined if the cache dropped it
 */
export function createBoundedCache<Value, Key = string>(
  capacity: number,
  draw: () => number = Math.random,
): BoundedCache<Value, Key> {
  const slots = new Map<Key, number>();
  const keys: Key[] = [];
  const values: Value[] = [];

  const put = (slot: number, key: Key, value: Value) => {
    slots.set(key, slot);
    keys[slot] = key;
    values[slot] = value;
  };

  return {
    get(key) {
      const slot = slots.get(key);
      return slot === undefined ? undefined : values[slot];
    },
    set(key, value) {
      const known = slots.get(key);
      if (known !== undefined) values[known] = value;
      else if (keys.length < capacity) put(keys.length, key, value);
      else if (draw() < 1 / admitOneIn) {
        const slot = Math.floor(draw() * capacity);
        slots.delete(keys[slot] as Key);
        put(slot, key, value);
      }
    },
    delete(key) {
      const slot = slots.get(key);
      if (slot === undefined) return;
      slots.delete(key);
      const lastKey = keys.pop() as Key;
      const lastValue = values.pop() as Value;
      if (lastKey !== key) put(slot, lastKey, lastValue);
    },
    clear() {
      slots.clear();
      keys.length = 0;
      values.length = 0;
    },
  };
}
