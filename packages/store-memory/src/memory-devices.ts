import type { Device, DeviceStore, OwnedChange } from "@device-gateway/core/store";
import {
  changeDevice,
  type MemoryState,
  type Transitions,
  writeChange,
  writeEvent,
} from "./memory-state.js";

type Methods =
  | "find"
  | "list"
  | "register"
  | "recordProfile"
  | "recordSeen"
  | "rename"
  | "openReEnrolment";

export function createMemoryDevices(state: MemoryState): Transitions<Pick<DeviceStore, Methods>> {
  return {
    find: (deviceId) => state.devices.get(deviceId) ?? null,

    list: ({ ownerId, after, limit }) =>
      [...state.devices.values()]
        .filter((device) => ownerId === null || device.ownership?.ownerId === ownerId)
        .filter((device) => compareBytes(device.deviceId, after) > 0)
        .sort((a, b) => compareBytes(a.deviceId, b.deviceId))
        .slice(0, limit),

    register({ device, event }) {
      if (state.blockedIds.has(device.deviceId)) return { kind: "blocked" };
      if (state.devices.has(device.deviceId)) return { kind: "exists" };
      state.devices.set(device.deviceId, device);
      writeChange(state, device.deviceId, event.at);
      writeEvent(state, event);
      return { kind: "registered" };
    },

    recordProfile({ deviceId, profile, now }) {
      const device = state.devices.get(deviceId);
      if (device === undefined) return { kind: "unknown" };
      state.devices.set(deviceId, { ...device, profile });
      writeChange(state, deviceId, now);
      return { kind: "recorded" };
    },

    recordSeen({ deviceId, now }) {
      const device = state.devices.get(deviceId);
      if (device === undefined) return;
      state.devices.set(deviceId, { ...device, lastSeenAt: latestOf(device.lastSeenAt, now) });
    },

    rename: (input) => changeOwned(state, input, { name: input.name }),

    openReEnrolment: (input) => changeOwned(state, input, { reEnrolmentUntil: input.until }),
  };
}

/** The later of two times; the second when there is no first. */
export const latestOf = (before: number | null, now: number): number =>
  before === null ? now : Math.max(before, now);

/** Whether somebody may change a device: its owner, or an operator (null). */
export const mayChange = (device: Device, ownerId: string | null): boolean =>
  ownerId === null || device.ownership?.ownerId === ownerId;

function changeOwned(
  state: MemoryState,
  { deviceId, ownerId, event }: OwnedChange,
  changes: Partial<Device>,
): { kind: "recorded" | "unknown" } {
  const device = state.devices.get(deviceId);
  if (device === undefined || !mayChange(device, ownerId)) return { kind: "unknown" };
  changeDevice(state, device, changes, event);
  return { kind: "recorded" };
}

/** JavaScript compares UTF-16 code units, which is another order. */
function compareBytes(a: string, b: string): number {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  const place = left.findIndex((byte, n) => byte !== right[n]);
  if (place === -1) return left.length - right.length;
  return (left[place] ?? 0) - (right[place] ?? -1);
}
