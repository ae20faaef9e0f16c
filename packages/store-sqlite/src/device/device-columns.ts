import type { DeviceRow, PendingRow, ProfileRow } from "./device-row.js";
import { otaColumns } from "./ota-columns.js";

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
  "last_seen_at",
  "ota_fingerprint",
  ...otaColumns,
] as const satisfies readonly (keyof DeviceRow)[];

/** Returns the SET list that assigns each column the parameter of the same name. */
export const setColumns = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = @${column}`).join(", ");

/**
 * Assigns both credentials new epochs, above all earlier ones, so every earlier token becomes
 * invalid. Without a pending credential its epoch stays NULL.
 */
export const raiseEpochs = `
  credential_epoch = max(credential_epoch, ifnull(pending_epoch, 0)) + 1,
  pending_epoch = max(credential_epoch, pending_epoch) + 2`;
