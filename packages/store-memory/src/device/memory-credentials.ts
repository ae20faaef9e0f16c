import type { Device, DeviceStore } from "@device-gateway/core/store";
import { changeDevice, type MemoryState, type Transitions, writeChange } from "../memory-state.js";
import { endOpenCommands } from "./memory-commands.js";

type Methods = "rotate" | "recordUse" | "revoke" | "reinstate";

export function createMemoryCredentials(
  state: MemoryState,
): Transitions<Pick<DeviceStore, Methods>> {
  return {
    rotate(input) {
      const device = state.devices.get(input.deviceId);
      if (device?.revision !== input.expectedRevision) return { kind: "conflict" };
      const changes: Partial<Device> = {
        pendingCredential: input.pending,
        profile: input.profile,
        claimCodeHash: input.claimCodeHash,
        claimCodeSpent: input.claimCodeSpent,
        reEnrolmentUntil: input.closeReEnrolment ? null : device.reEnrolmentUntil,
      };
      changeDevice(state, device, changes, input.event);
      if (!input.pending.isRotation) {
        const { deviceId, event } = input;
        endOpenCommands(state, deviceId, event.at, ({ deliveredAt }) => deliveredAt !== null);
      }
      return { kind: "rotated" };
    },

    recordUse({ deviceId, epoch, now, event }) {
      const device = state.devices.get(deviceId);
      if (device === undefined || device.revokedAt !== null) return { kind: "unknown" };
      const { credential, pendingCredential, revision } = device;
      const firstUsedAt = device.firstUsedAt ?? now;
      if (epoch === pendingCredential?.epoch) {
        const { isRotation: _, ...promoted } = pendingCredential;
        const changes = { credential: promoted, pendingCredential: null, firstUsedAt };
        changeDevice(state, device, changes, event);
        return { kind: "recorded" };
      }
      if (epoch !== credential.epoch) return { kind: "unknown" };
      if (device.firstUsedAt === null) {
        state.devices.set(deviceId, { ...device, firstUsedAt, revision: revision + 1 });
        writeChange(state, deviceId, now);
      }
      return { kind: "recorded" };
    },

    revoke({ deviceId, now, event }) {
      const device = state.devices.get(deviceId);
      if (device === undefined) return { kind: "unknown" };
      if (device.revokedAt !== null) return { kind: "revoked", revokedAt: device.revokedAt };
      changeDevice(state, device, { revokedAt: now }, event);
      endOpenCommands(state, deviceId, now);
      return { kind: "revoked", revokedAt: now };
    },

    reinstate({ deviceId, event }) {
      const device = state.devices.get(deviceId);
      if (device === undefined) return { kind: "unknown" };
      if (device.revokedAt === null) return { kind: "recorded" };
      changeDevice(state, device, { revokedAt: null, ...raiseEpochs(device) }, event);
      return { kind: "recorded" };
    },
  };
}

/** Returns both credentials with new epochs above all issued ones, which invalidates all tokens. */
export function raiseEpochs({
  credential,
  pendingCredential,
}: Device): Pick<Device, "credential" | "pendingCredential"> {
  const highest = Math.max(credential.epoch, pendingCredential?.epoch ?? 0);
  return {
    credential: { ...credential, epoch: highest + 1 },
    pendingCredential: pendingCredential && { ...pendingCredential, epoch: highest + 2 },
  };
}
