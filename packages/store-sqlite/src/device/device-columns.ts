import { deviceColumns, otaColumns } from "@device-gateway/core/store";
import type { KnownDeviceRow } from "./known-device.js";

/** The columns of the table `devices` that a registration writes. */
export const columnsOfDevices = [
  ...deviceColumns,
  "last_seen_at",
  "ota_fingerprint",
  ...otaColumns,
  "ota_standing",
] as const satisfies readonly (keyof KnownDeviceRow)[];

/**
 * Assigns both credentials new epochs, above all earlier ones, so every earlier token becomes
 * invalid. Without a pending credential its epoch stays NULL.
 */
export const raiseEpochs = `
  credential_epoch = max(credential_epoch, ifnull(pending_epoch, 0)) + 1,
  pending_epoch = max(credential_epoch, pending_epoch) + 2`;
