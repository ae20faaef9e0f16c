import type { Wait } from "../../server/src/demo/wait.js";

/** A device's waits, which last until a test ends them: its time is the test's. */
export interface ManualWait {
  readonly wait: Wait;
  /** How long the latest one was meant to be, in milliseconds. */
  readonly latestMs: number;
  /** Ends the nap that is under way, if there is one. */
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
