import type { Random, Sleep } from "./retry.js";

/** The runtime's own cryptographic generator. */
export const systemRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};

/** Waits by the runtime's own timer. */
export const systemSleep: Sleep = (ms) => new Promise((resolve) => void setTimeout(resolve, ms));
