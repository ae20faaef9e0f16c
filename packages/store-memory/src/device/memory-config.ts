import type { ConfigStore } from "@device-gateway/core/store";
import { type MemoryState, type Transitions, writeChange, writeEvent } from "../memory-state.js";
import { mayChange } from "./memory-devices.js";

export function createMemoryConfig(state: MemoryState): Transitions<ConfigStore> {
  return {
    replaceOverrides({ deviceId, ownerId, values, expectedRevision, event }) {
      const device = state.devices.get(deviceId);
      if (device === undefined || !mayChange(device, ownerId)) return { kind: "unknown" };
      if (device.configOverrides.revision !== expectedRevision) return { kind: "conflict" };
      const revision = expectedRevision + 1;
      state.devices.set(deviceId, { ...device, configOverrides: { values, revision } });
      writeChange(state, deviceId, event.at);
      writeEvent(state, event);
      return { kind: "replaced", revision };
    },
  };
}
