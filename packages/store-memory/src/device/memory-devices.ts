import {
  compareBytes,
  type Device,
  type DeviceStore,
  type OwnedChange,
  type SearchKey,
  type SearchPlace,
} from "@device-gateway/core/store";
import {
  changeDevice,
  type MemoryState,
  type Transitions,
  writeChange,
  writeEvent,
} from "../memory-state.js";

type Methods =
  | "find"
  | "list"
  | "search"
  | "listMarked"
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

    search: ({ by, from, to, after, limit }) =>
      [...state.devices.values()]
        .flatMap((device) => {
          const value = searchTexts[by](device);
          return value === null ? [] : [{ value, deviceId: device.deviceId, device }];
        })
        .filter(({ value }) => compareBytes(value, from) >= 0 && compareBytes(value, to) <= 0)
        .filter((place) => after === null || comparePlaces(place, after) > 0)
        .sort(comparePlaces)
        .slice(0, limit)
        .map(({ device }) => device),

    listMarked: ({ mark, after, limit }) =>
      [...state.devices.values()]
        .filter(({ revokedAt, ownership }) =>
          mark === "revoked" ? revokedAt !== null : ownership === null,
        )
        .filter(({ deviceId }) => compareBytes(deviceId, after) > 0)
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

const searchTexts: Readonly<Record<SearchKey, (device: Device) => string | null>> = {
  name: ({ name }) => name,
  ownerId: ({ ownership }) => ownership?.ownerId ?? null,
  targetHardware: ({ profile }) => profile.targetHardware,
  firmwareVersion: ({ profile }) => profile.firmwareVersion,
};

const comparePlaces = (a: SearchPlace, b: SearchPlace) =>
  compareBytes(a.value, b.value) || compareBytes(a.deviceId, b.deviceId);

/** Returns the later of two times, or `now` if there is no earlier time. */
export const latestOf = (before: number | null, now: number): number =>
  before === null ? now : Math.max(before, now);

/** Returns whether a user may change a device. An `ownerId` of null stands for an operator. */
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
