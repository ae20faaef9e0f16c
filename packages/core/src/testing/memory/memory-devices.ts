import type { DeviceStore } from "../../store.js";
import { type MemoryState, type Transitions, writeEvent } from "./memory-state.js";

export function createMemoryDevices(state: MemoryState): Transitions<DeviceStore> {
  return {
    find: (deviceId) => state.devices.get(deviceId) ?? null,

    register({ device, event }) {
      if (state.devices.has(device.deviceId)) return { kind: "exists" };
      state.devices.set(device.deviceId, device);
      writeEvent(state, event);
      return { kind: "registered" };
    },

    recordProfile({ deviceId, profile }) {
      const device = state.devices.get(deviceId);
      if (device === undefined) return { kind: "unknown" };
      state.devices.set(deviceId, { ...device, profile });
      return { kind: "recorded" };
    },
  };
}
