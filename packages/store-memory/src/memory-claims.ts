import type { ClaimStore } from "@device-gateway/core/store";
import { raiseEpochs } from "./memory-credentials.js";
import { changeDevice, type MemoryState, type Transitions } from "./memory-state.js";

export function createMemoryClaims(state: MemoryState): Transitions<ClaimStore> {
  return {
    claim({ deviceId, ownerId, claimCodeHash, now, event }) {
      const device = state.devices.get(deviceId);
      if (device === undefined || device.revokedAt !== null) return { kind: "changed" };
      if (device.claimCodeHash !== claimCodeHash || device.claimCodeSpent) {
        return { kind: "changed" };
      }
      const { ownership } = device;
      if (ownership?.ownerId === ownerId) {
        return { kind: "already_owned", claimedAt: ownership.claimedAt };
      }
      if (ownership !== null) return { kind: "taken" };
      const visibleFrom = device.ownedBefore ? now : 0;
      const changes = {
        ownership: { ownerId, claimedAt: now, visibleFrom },
        ownedBefore: true,
        reEnrolmentUntil: null,
      };
      changeDevice(state, device, changes, event);
      return { kind: "claimed", claimedAt: now };
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
      return { kind: "released" };
    },
  };
}
