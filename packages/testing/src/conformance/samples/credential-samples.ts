import type {
  Credential,
  Device,
  DeviceStore,
  GatewayStore,
  PendingCredential,
} from "@device-gateway/core/store";
import { sampleSecurityEvent, sampleTime } from "./samples.js";

export const deviceId = "gw-1";
export const issuedAt = sampleTime + 1_000;
export const credentialOf = (epoch: number): Credential => ({
  secretHash: `secret-${epoch}`,
  epoch,
  issuedAt,
});
export const pendingOf = (epoch: number, isRotation = false): PendingCredential => ({
  ...credentialOf(epoch),
  isRotation,
});
export const promotion = (details = {}) =>
  sampleSecurityEvent(deviceId, "device.credential_promoted", details);

type Rotation = Parameters<DeviceStore["rotate"]>[0];
export const rotationOf = (device: Device, changes: Partial<Rotation> = {}): Rotation => ({
  deviceId: device.deviceId,
  expectedRevision: device.revision,
  pending: pendingOf(2),
  profile: device.profile,
  claimCodeHash: device.claimCodeHash,
  claimCodeSpent: device.claimCodeSpent,
  closeReEnrolment: false,
  event: sampleSecurityEvent(device.deviceId, "device.secret_rotated"),
  ...changes,
});

export const useCredential = (store: GatewayStore, epoch: number, now = sampleTime + 5_000) =>
  store.devices.recordUse({ deviceId, epoch, now, event: promotion() });
