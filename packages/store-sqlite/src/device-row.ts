import type { Device, DeviceProfile } from "@device-gateway/core/store";

export interface ProfileRow {
  readonly hardware_id: string;
  readonly firmware_version: string;
  readonly target_hardware: string;
  readonly hardware_platform: string | null;
  readonly hardware_model: string | null;
  readonly board_profile: string | null;
  readonly fingerprint_hash: string | null;
  readonly capabilities: string;
}

export interface DeviceRow extends ProfileRow {
  readonly device_id: string;
  readonly claim_code_hash: string | null;
  readonly secret_hash: string;
  readonly credential_epoch: number;
  readonly config_overrides: string;
  readonly config_revision: number;
  readonly registered_at: number;
}

export const profileColumns = [
  "hardware_id",
  "firmware_version",
  "target_hardware",
  "hardware_platform",
  "hardware_model",
  "board_profile",
  "fingerprint_hash",
  "capabilities",
] as const satisfies readonly (keyof ProfileRow)[];

export const deviceColumns = [
  "device_id",
  ...profileColumns,
  "claim_code_hash",
  "secret_hash",
  "credential_epoch",
  "config_overrides",
  "config_revision",
  "registered_at",
] as const satisfies readonly (keyof DeviceRow)[];

export const toProfileRow = (profile: DeviceProfile): ProfileRow => ({
  hardware_id: profile.hardwareId,
  firmware_version: profile.firmwareVersion,
  target_hardware: profile.targetHardware,
  hardware_platform: profile.hardwarePlatform,
  hardware_model: profile.hardwareModel,
  board_profile: profile.boardProfile,
  fingerprint_hash: profile.fingerprintHash,
  capabilities: JSON.stringify(profile.capabilities),
});

export const toDeviceRow = (device: Device): DeviceRow => ({
  device_id: device.deviceId,
  ...toProfileRow(device.profile),
  claim_code_hash: device.claimCodeHash,
  secret_hash: device.credential.secretHash,
  credential_epoch: device.credential.epoch,
  config_overrides: JSON.stringify(device.configOverrides.values),
  config_revision: device.configOverrides.revision,
  registered_at: device.registeredAt,
});

export const toDevice = (row: DeviceRow): Device => ({
  deviceId: row.device_id,
  profile: {
    hardwareId: row.hardware_id,
    firmwareVersion: row.firmware_version,
    targetHardware: row.target_hardware,
    hardwarePlatform: row.hardware_platform,
    hardwareModel: row.hardware_model,
    boardProfile: row.board_profile,
    fingerprintHash: row.fingerprint_hash,
    capabilities: JSON.parse(row.capabilities) as DeviceProfile["capabilities"],
  },
  claimCodeHash: row.claim_code_hash,
  credential: { secretHash: row.secret_hash, epoch: row.credential_epoch },
  configOverrides: {
    values: JSON.parse(row.config_overrides) as Device["configOverrides"]["values"],
    revision: row.config_revision,
  },
  registeredAt: row.registered_at,
});
