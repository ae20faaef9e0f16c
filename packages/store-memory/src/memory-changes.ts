import type { ChangeFeed } from "@device-gateway/core/store";
import type { MemoryState, Transitions } from "./memory-state.js";

export function createMemoryChanges(state: MemoryState): Transitions<ChangeFeed> {
  return {
    since(cursor) {
      const newest = { cursor: String(state.lastChangeId) };
      const seen = cursor === null ? Number.NaN : Number(cursor);
      const known = seen >= state.prunedChangeId && seen <= state.lastChangeId;
      if (!known) return { kind: "reset", ...newest };
      const changed = state.changes.filter(({ id }) => id > seen).map(({ deviceId }) => deviceId);
      const deviceIds = [...new Set(changed)].filter((deviceId) => deviceId !== null);
      const releasesChanged = changed.includes(null);
      return { kind: "changes", ...newest, deviceIds, releasesChanged };
    },

    prune({ before, limit }) {
      const old = state.changes.filter(({ at }) => at < before).slice(0, limit);
      for (const change of old) {
        state.changes.splice(state.changes.indexOf(change), 1);
        state.prunedChangeId = Math.max(state.prunedChangeId, change.id);
      }
      return old.length;
    },
  };
}
