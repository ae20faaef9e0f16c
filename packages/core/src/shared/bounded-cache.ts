/** One in so many newcomers is let into a full cache. */
const admitOneIn = 8;

/** A map with a bound. What it was given it may forget at any time. */
export interface BoundedCache<Value, Key = string> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
}

/**
 * Creates a cache of at most so many values. A full one lets few newcomers in, each in place of one
 * drawn by lot: so devices that come in turn, more of them than have room, do not push each other
 * out before any is asked for again, as the oldest-out rule would have it.
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
