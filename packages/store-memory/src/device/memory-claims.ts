import type { ClaimStore, Device } from "@device-gateway/core/store";
import { changeDevice, type MemoryState, type Transitions } from "../memory-state.js";
import { endAlertsOf } from "./memory-alert-endings.js";
import { endOpenCommands } from "./memory-commands.js";
import { raiseEpochs } from "./memory-credentials.js";

type NewOwner = Omit<Parameters<ClaimStore["assign"]>[0], "deviceId">;

export function createMemoryClaims(state: MemoryState): Transitions<ClaimStore> {
  function own(device: Device, { ownerId, hadOwner = false, now, event }: NewOwner) {
    const { ownership } = device;
    if (ownership?.ownerId === ownerId) {
      return { kind: "already_owned", claimedAt: ownership.claimedAt } as const;
    }
    if (ownership !== null) return { kind: "taken" } as const;
    if (hadOwner) return { kind: "changed" } as const;
    const released = state.events.findLast(
      ({ deviceId, kind }) => deviceId === device.deviceId && kind === "device.released",
    );
    const visibleFrom = device.ownedBefore ? Math.max(now, released?.at ?? 0) : 0;
    const changes = {
      ownership: { ownerId, claimedAt: now, visibleFrom },
      ownedBefore: true,
      reEnrolmentUntil: null,
    };
    changeDevice(state, device, changes, event);
    endOpenCommands(state, device.deviceId, now);
    return { kind: "claimed", claimedAt: now } as const;
  }

  return {
    claim({ deviceId, claimCodeHash, ...owner }) {
      const device = state.devices.get(deviceId);
      if (device === undefined || device.revokedAt !== null) return { kind: "changed" };
      if (device.claimCodeHash !== claimCodeHash || device.claimCodeSpent) {
        return { kind: "changed" };
      }
      return own(device, owner);
    },

    assign({ deviceId, ...owner }) {
      const device = state.devices.get(deviceId);
      if (device === undefined) return { kind: "unknown" };
      return device.revokedAt === null ? own(device, owner) : { kind: "revoked" };
    },

    release({ deviceId, ownerId, spendCode, event }) {
      const device = state.devices.get(deviceId);
      if (device?.ownership?.ownerId !== ownerId) return { kind: "not_owner" };
      const { claimCodeHash, configOverrides } = device;
      const changes = {
        ownership: null,
        name: null,
        reEnrolmentUntil: null,
        configOverrides: { values: {}, revision: configOverrides.revision + 1 },
        ota: { ...device.ota, command: null },
        // A legacy device has no code to spend.
        claimCodeSpent: device.claimCodeSpent || (spendCode && claimCodeHash !== null),
        ...raiseEpochs(device),
      };
      changeDevice(state, device, changes, event);
      endOpenCommands(state, deviceId, event.at);
      endAlertsOf(state, deviceId, ownerId);
      return { kind: "released" };
    },
  };
}
