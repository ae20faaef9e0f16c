import { type FollowerStore, mostAheadMs } from "@device-gateway/core/store";
import type { MemoryState, Transitions } from "./memory-state.js";

export function createMemoryFollowers(state: MemoryState): Transitions<FollowerStore> {
  /** Returns the follower if this holder has its lease. */
  const heldBy = (holder: string, name: string) => {
    const follower = state.followers.get(name);
    return follower?.holder === holder ? follower : undefined;
  };
  return {
    take({ name, holder, at, until }) {
      const { cursor, ...lease } = state.followers.get(name) ?? { cursor: "", holder, until: 0 };
      const isValid = at < lease.until && lease.until <= Math.max(at, until) + mostAheadMs;
      if (lease.holder !== null && lease.holder !== holder && isValid) return null;
      state.followers.set(name, { cursor, holder, until });
      return { cursor };
    },

    advance({ name, holder, cursor }) {
      const held = heldBy(holder, name);
      if (held === undefined) return false;
      state.followers.set(name, { ...held, cursor });
      return true;
    },

    release({ name, holder }) {
      const held = heldBy(holder, name);
      if (held !== undefined) state.followers.set(name, { ...held, holder: null });
    },

    remove(name) {
      state.followers.delete(name);
    },
  };
}
