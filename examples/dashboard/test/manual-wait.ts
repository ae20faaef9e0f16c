import type { Wait } from "../../server/src/demo/wait.js";

/** A device's waits that last until the test ends them. */
export interface ManualWait {
  readonly wait: Wait;
  /** The requested length of the latest wait, in milliseconds. */
  readonly latestMs: number;
  /** Ends the current wait, if there is one. */
  finish(): void;
}

export function createManualWait(): ManualWait {
  let latestMs = 0;
  let wake = () => {};
  return {
    get latestMs() {
      return latestMs;
    },
    finish: () => wake(),
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const abort = () => reject(signal.reason as Error);
        signal.addEventListener("abort", abort, { once: true });
        latestMs = ms;
        wake = () => {
          signal.removeEventListener("abort", abort);
          resolve();
        };
      }),
  };
}
