import { canonicalJson, compareBytes, type MetadataStore } from "@device-gateway/core/store";
import { type MemoryState, type Transitions, writeEvent } from "../memory-state.js";

export function createMemoryMetadata(state: MemoryState): Transitions<MetadataStore> {
  const find = (deviceId: string) => state.metadata.get(deviceId)?.content ?? null;
  return {
    find,

    replace({ deviceId, expected, next, index, event }) {
      if (!state.devices.has(deviceId)) return { kind: "unknown" };
      if (canonicalJson(find(deviceId)) !== canonicalJson(expected)) return { kind: "conflict" };
      if (next === null) state.metadata.delete(deviceId);
      else state.metadata.set(deviceId, { content: next, index });
      writeEvent(state, event);
      return { kind: "replaced" };
    },

    listDevices: ({ key, value, after, limit }) =>
      [...state.devices.values()]
        .filter(({ deviceId }) => {
          const index = state.metadata.get(deviceId)?.index ?? {};
          return Object.hasOwn(index, key) && index[key] === value;
        })
        .filter(({ deviceId }) => compareBytes(deviceId, after) > 0)
        .sort((a, b) => compareBytes(a.deviceId, b.deviceId))
        .slice(0, limit),
  };
}
