import {
  type ActivityRow,
  type DeviceRow,
  deviceColumns,
  otaColumns,
} from "@device-gateway/core/store";

/** The columns of the table `devices`. */
export const columnsOfDevices = [
  ...deviceColumns,
  ...otaColumns,
] as const satisfies readonly (keyof DeviceRow)[];

/** The columns of the table `device_activity`. */
export const columnsOfActivity = [
  "last_seen_at",
  "last_telemetry_at",
  "ota_fingerprint",
  "ota_standing",
] as const satisfies readonly (keyof ActivityRow)[];

/** The devices with their activity, for `SELECT`. */
export const devices =
  "device_gateway.devices JOIN device_gateway.device_activity USING (device_id)";

/**
 * Assigns both credentials of the device `d` new epochs, above all earlier ones, so every earlier
 * token becomes invalid. Without a pending credential its epoch stays NULL.
 */
export const raiseEpochs = `
  credential_epoch = greatest(d.credential_epoch, d.pending_epoch) + 1,
  pending_epoch = CASE WHEN d.pending_epoch IS NOT NULL
    THEN greatest(d.credential_epoch, d.pending_epoch) + 2 END`;
