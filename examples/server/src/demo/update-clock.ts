import { setTimeout } from "node:timers/promises";
import type { UpdateClock } from "@device-gateway/device-client/update";

/** The machine's own time, for an updater. It keeps no process alive. */
export const updateClock: UpdateClock = {
  now: Date.now,
  wait: (ms, signal) =>
    setTimeout(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {}),
};
