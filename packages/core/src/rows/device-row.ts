import type { Device, Ownership, PendingCredential } from "../device/device.js";
import type { DeviceProfile } from "../device/device-profile.js";
import {
  type Flag,
  type OtaRow,
  type StandingRow,
  toDeviceOta,
  toOtaRow,
  toStandingRow,
} from "./ota-row.js";

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

export interface PendingRow {
  readonly pending_secret_hash: string | null;
  readonly pending_epoch: number | null;
  readonly pending_issued_at: number | null;
  readonly pending_is_rotation: Flag;
}

/**
 * The columns that change with nearly every request. They have their own table, so that the large
 * row is not rewritten each time.
 */
export interface ActivityRow extends StandingRow {
  readonly last_seen_at: number | null;
  readonly last_telemetry_at: number | null;
  readonly ota_fingerprint: string | null;
}

export interface DeviceRow extends ProfileRow, PendingRow, OtaRow {
  readonly device_id: string;
  readonly revision: number;
  readonly claim_code_hash: string | null;
  readonly claim_code_spent: Flag;
  readonly secret_hash: string;
  readonly credential_epoch: number;
  readonly credential_issued_at: number;
  readonly config_overrides: string;
  readonly config_revision: number;
  readonly name: string | null;
  readonly owner_id: string | null;
  readonly claimed_at: number | null;
  readonly visible_from: number | null;
  readonly owned_before: Flag;
  readonly re_enrolment_until: number | null;
  readonly registered_at: number;
  readonly first_used_at: number | null;
  readonly revoked_at: number | null;
  readonly commands_waiting: Flag;
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

export const pendingColumns = [
  "pending_secret_hash",
  "pending_epoch",
  "pending_issued_at",
  "pending_is_rotation",
] as const satisfies readonly (keyof PendingRow)[];

/** The columns of a device without those of `OtaRow` and `ActivityRow`. */
export const deviceColumns = [
  "device_id",
  "revision",
  ...profileColumns,
  "claim_code_hash",
  "claim_code_spent",
  "secret_hash",
  "credential_epoch",
  "credential_issued_at",
  ...pendingColumns,
  "config_overrides",
  "config_revision",
  "name",
  "owner_id",
  "claimed_at",
  "visible_from",
  "owned_before",
  "re_enrolment_until",
  "registered_at",
  "first_used_at",
  "revoked_at",
  "commands_waiting",
] as const satisfies readonly (keyof DeviceRow)[];

/**
 * Returns the SET list that assigns each column the parameter of the same name.
 *
 * @example
 * setColumns(["name", "model"]); // "name = @name, model = @model"
 */
export const setColumns = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = @${column}`).join(", ");

/**
 * Returns the columns of a device's profile.
 *
 * @example
 * writeProfile.run({ deviceId, ...toProfileRow(profile) });
 */
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

/**
 * Returns the columns of a pending credential. All are null if there is none.
 *
 * @example
 * writePending.run({ deviceId, ...toPendingRow(pending) });
 */
export const toPendingRow = (pending: PendingCredential | null): PendingRow => ({
  pending_secret_hash: pending?.secretHash ?? null,
  pending_epoch: pending?.epoch ?? null,
  pending_issued_at: pending?.issuedAt ?? null,
  pending_is_rotation: pending?.isRotation ?? false,
});

/**
 * Returns the columns of a device, without its activity.
 *
 * @example
 * insertDevice.run(toDeviceRow(device));
 */
export const toDeviceRow = (device: Device): DeviceRow => ({
  device_id: device.deviceId,
  revision: device.revision,
  ...toProfileRow(device.profile),
  claim_code_hash: device.claimCodeHash,
  claim_code_spent: device.claimCodeSpent,
  secret_hash: device.credential.secretHash,
  credential_epoch: device.credential.epoch,
  credential_issued_at: device.credential.issuedAt,
  ...toPendingRow(device.pendingCredential),
  config_overrides: JSON.stringify(device.configOverrides.values),
  config_revision: device.configOverrides.revision,
  name: device.name,
  owner_id: device.ownership?.ownerId ?? null,
  claimed_at: device.ownership?.claimedAt ?? null,
  visible_from: device.ownership?.visibleFrom ?? null,
  owned_before: device.ownedBefore,
  re_enrolment_until: device.reEnrolmentUntil,
  registered_at: device.registeredAt,
  first_used_at: device.firstUsedAt,
  revoked_at: device.revokedAt,
  commands_waiting: device.commandsWaiting,
  ...toOtaRow(device.ota),
});

/**
 * Returns the columns of a device's activity.
 *
 * @example
 * insertActivity.run(toActivityRow(device));
 */
export const toActivityRow = (device: Device): ActivityRow => ({
  last_seen_at: device.lastSeenAt,
  last_telemetry_at: device.lastTelemetryAt,
  ota_fingerprint: device.otaFingerprint,
  ...toStandingRow(device.ota),
});

function toPending(row: PendingRow): PendingCredential | null {
  const { pending_secret_hash, pending_epoch, pending_issued_at, pending_is_rotation } = row;
  if (pending_secret_hash === null || pending_epoch === null || pending_issued_at === null) {
    return null;
  }
  return {
    secretHash: pending_secret_hash,
    epoch: pending_epoch,
    issuedAt: pending_issued_at,
    isRotation: Boolean(pending_is_rotation),
  };
}

function toOwnership({ owner_id, claimed_at, visible_from }: DeviceRow): Ownership | null {
  if (owner_id === null || claimed_at === null || visible_from === null) return null;
  return { ownerId: owner_id, claimedAt: claimed_at, visibleFrom: visible_from };
}

/**
 * Returns the device of a row.
 *
 * @example
 * const row = findDevice.get(deviceId);
 * return row === undefined ? null : toDevice(row);
 */
export const toDevice = (row: DeviceRow & ActivityRow): Device => ({
  deviceId: row.device_id,
  revision: row.revision,
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
  claimCodeSpent: Boolean(row.claim_code_spent),
  credential: {
    secretHash: row.secret_hash,
    epoch: row.credential_epoch,
    issuedAt: row.credential_issued_at,
  },
  pendingCredential: toPending(row),
  configOverrides: {
    values: JSON.parse(row.config_overrides) as Device["configOverrides"]["values"],
    revision: row.config_revision,
  },
  name: row.name,
  ownership: toOwnership(row),
  ownedBefore: Boolean(row.owned_before),
  reEnrolmentUntil: row.re_enrolment_until,
  registeredAt: row.registered_at,
  firstUsedAt: row.first_used_at,
  revokedAt: row.revoked_at,
  lastSeenAt: row.last_seen_at,
  lastTelemetryAt: row.last_telemetry_at,
  otaFingerprint: row.ota_fingerprint,
  commandsWaiting: Boolean(row.commands_waiting),
  ota: toDeviceOta(row),
});
