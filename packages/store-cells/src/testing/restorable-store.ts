import type { CellStore } from "@device-gateway/core/store";
import {
  createMemoryState,
  createMemoryStore,
  type MemoryState,
} from "@device-gateway/store-memory";

/** A store in memory that can be set back to an earlier state, like a database that is restored from a backup. */
export interface RestorableStore {
  readonly store: CellStore;
  save(): MemoryState;
  restore(saved: MemoryState): void;
}

export function createRestorableStore(): RestorableStore {
  let state = createMemoryState();
  let current = createMemoryStore(state);
  /** Returns an object that has the current values of another one. */
  const follow = <Part extends object>(read: () => Part): Part =>
    new Proxy(read(), {
      get(_, key) {
        const value: unknown = Reflect.get(read(), key);
        return typeof value === "object" && value !== null
          ? follow(() => Reflect.get(read(), key) as object)
          : value;
      },
    });
  return {
    store: follow(() => current),
    save: () => structuredClone(state),
    restore(saved) {
      state = structuredClone(saved);
      current = createMemoryStore(state);
    },
  };
}
