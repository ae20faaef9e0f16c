import type { Throttle } from "../ports/throttle.js";

/** Lets everything through, for calls in code that are not throttled (§9). */
export const noThrottle: Throttle = {
  take: () => ({ kind: "taken" }),
  giveBack: async () => {},
};
