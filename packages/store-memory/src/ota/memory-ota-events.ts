import type { OtaEventStore } from "@device-gateway/core/store";
import type { MemoryState, Transitions } from "../memory-state.js";

export function createMemoryOtaEvents(state: MemoryState): Transitions<OtaEventStore> {
  return {
    list: ({ deviceId, from, before, limit }) =>
      state.otaEvents
        .filter((event) => event.deviceId === deviceId && event.createdAt >= from)
        .filter(({ id }) => id < before)
        .reverse()
        .slice(0, limit),

    prune({ createdBefore, limit }) {
      const old = state.otaEvents
        .filter(({ createdAt }) => createdAt < createdBefore)
        .slice(0, limit);
      for (const event of old) state.otaEvents.splice(state.otaEvents.indexOf(event), 1);
      return old.length;
    },
  };
}
