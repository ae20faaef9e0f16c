import { StoreUnavailableError } from "./ports/store-unavailable-error.js";

/** Runs the calls of a store, and closes the store after the last of them. */
export interface StoreCalls {
  /** Runs a call. @throws {StoreUnavailableError} if `close` was called before. */
  run<Outcome>(call: () => Promise<Outcome>): Promise<Outcome>;
  /** Waits until no call runs, and then closes the store. Returns the same promise each time. */
  close(): Promise<void>;
}

/**
 * Creates the counter of a store's calls. `closeStore` is called once, when `close` was called and no call runs.
 *
 * @example
 * const calls = createStoreCalls(() => pool.end());
 * const device = await calls.run(() => findDevice(deviceId));
 * await calls.close();
 */
export function createStoreCalls(closeStore: () => Promise<void>): StoreCalls {
  let running = 0;
  let whenIdle = () => {};
  let closing: Promise<void> | undefined;

  async function closeWhenIdle(): Promise<void> {
    if (running > 0) {
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
    }
    await closeStore();
  }

  return {
    async run(call) {
      if (closing) throw new StoreUnavailableError("The store is closed.");
      running += 1;
      try {
        return await call();
      } finally {
        running -= 1;
        if (running === 0) whenIdle();
      }
    },
    close() {
      closing ??= closeWhenIdle();
      return closing;
    },
  };
}
