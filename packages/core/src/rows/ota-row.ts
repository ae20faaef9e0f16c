import {
  type DeviceOta,
  newStanding,
  type OtaStanding,
  type UpdateCommand,
} from "../ota/offer/device-ota.js";

/** The standing of a device in its row. */
export interface StandingRow {
  /** JSON, or null if the device was never offered anything. */
  readonly ota_standing: string | null;
}

/** The OTA settings of a device in its row. */
export interface OtaRow {
  readonly ota_channel: string;
  readonly pinned_version: string | null;
  readonly ota_command: string | null;
}

export const otaColumns = [
  "ota_channel",
  "pinned_version",
  "ota_command",
] as const satisfies readonly (keyof OtaRow)[];

export const toStandingRow = ({ current, blocks, lastReport }: OtaStanding): StandingRow => {
  const isNew = current === null && blocks.length === 0 && lastReport === null;
  return { ota_standing: isNew ? null : JSON.stringify({ current, blocks, lastReport }) };
};

export const toStanding = ({ ota_standing }: StandingRow): OtaStanding =>
  ota_standing === null ? newStanding : (JSON.parse(ota_standing) as OtaStanding);

export const toOtaRow = (ota: DeviceOta): OtaRow => ({
  ota_channel: ota.channel,
  pinned_version: ota.pinnedVersion,
  ota_command: ota.command === null ? null : JSON.stringify(ota.command),
});

export const toDeviceOta = (row: OtaRow & StandingRow): DeviceOta => ({
  channel: row.ota_channel,
  pinnedVersion: row.pinned_version,
  command: row.ota_command === null ? null : (JSON.parse(row.ota_command) as UpdateCommand),
  ...toStanding(row),
});
