import type { AsyncLocalStorage } from "node:async_hooks";

/** From Node 24 on, an enabled storage costs nothing, and `disable` only leaves the current context. */
export const storagesAreFree = Number.parseInt(process.versions.node, 10) >= 24;

/** Storages that already disable themselves. better-auth has one set of storages for all servers of a process. */
const known = new WeakSet<object>();

/**
 * Makes a storage disable itself whenever none of its `run` calls is running, and returns it. `run` enables it again.
 * Await or return the promises of `run`: a rejection that nobody handles is not reported.
 *
 * Before Node 24, an enabled storage makes every promise of the process slower. Without this, each record of telemetry
 * would take a fifth more CPU from the first account request until the server ends. From Node 24 on, it does nothing.
 */
export function disableWhenIdle<T>(storage: AsyncLocalStorage<T>): AsyncLocalStorage<T> {
  if (storagesAreFree || known.has(storage)) return storage;
  known.add(storage);
  const run = storage.run.bind(storage);
  let running = 0;
  const end = () => {
    running -= 1;
    if (running === 0) storage.disable();
  };
  storage.run = <R, A extends unknown[]>(value: T, work: (...args: A) => R, ...args: A): R => {
    running += 1;
    let result: R | undefined;
    try {
      result = run(value, work, ...args);
      return result;
    } finally {
      if (result instanceof Promise) result.then(end, end);
      else end();
    }
  };
  return storage;
}
