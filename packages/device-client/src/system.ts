import type { Random, Sleep } from "./retry.js";

/** The cryptographic random generator of the runtime. */
export const systemRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};

/** Waits with a timer of the runtime. After an abort, the timer no longer keeps the process alive. */
export const systemSleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
