import type { ConfigStore } from "../../store.js";
import { type MemoryState, type Transitions, writeEvent } from "./memory-state.js";

export function createMemoryConfig(state: MemoryState): Transitions<ConfigStore> {
  return {
    replaceOverrides({ deviceId, values, expectedRevision, event }) {
      const device = state.devices.get(deviceId);
      if (device === undefined) return { kind: "unknown" };
      if (device.configOverrides.revision !== expectedRevision) return { kind: "conflict" };
      const revision = expectedRevision + 1;
      state.devices.set(deviceId, { ...device, configOverrides: { values, revision } });
      writeEvent(state, event);
      return { kind: "replaced", revision };
    },
  };
}
