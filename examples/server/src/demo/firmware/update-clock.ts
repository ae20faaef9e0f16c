import { setTimeout } from "node:timers/promises";
import type { UpdateClock } from "@device-gateway/device-client/update";

/** The system clock for an updater. Its timers do not keep the process alive. */
export const updateClock: UpdateClock = {
  now: Date.now,
  wait: (ms, signal) =>
    setTimeout(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {}),
};
