import { type CellStore, StoreUnavailableError } from "@device-gateway/core/store";

/** A store that can be made unavailable, like a database that is down. */
export interface BreakableStore {
  readonly store: CellStore;
  isDown: boolean;
  /** From now on no call is answered, until the returned function is called. */
  silence(): () => void;
}

export function toBreakable(inner: CellStore): BreakableStore {
  let silent: Promise<void> | undefined;
  const guard = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value === "object" && value !== null) return guard(value);
        if (typeof value !== "function") return value;
        return async (...inputs: unknown[]) => {
          if (breakable.isDown) throw new StoreUnavailableError("The database is down.");
          await silent;
          return value.apply(target, inputs);
        };
      },
    });
  const breakable: BreakableStore = {
    store: guard(inner),
    isDown: false,
    silence() {
      let answer = () => {};
      silent = new Promise((resolve) => {
        answer = resolve;
      });
      return () => {
        silent = undefined;
        answer();
      };
    },
  };
  return breakable;
}
