import {
  type DeviceOta,
  newStanding,
  type OtaStanding,
  type UpdateCommand,
} from "../ota/offer/device-ota.js";

/** A flag in a row. SQLite stores it as 0 or 1. */
export type Flag = boolean | 0 | 1;

/** The standing of a device in its row. */
export interface StandingRow {
  /** JSON, or null if the device was never offered anything. */
  readonly ota_standing: string | null;
}

/** The OTA settings of a device in its row. */
export interface OtaRow {
  readonly ota_channel: string;
  readonly pinned_version: string | null;
  readonly bench_mode: Flag;
  readonly ota_command: string | null;
  readonly ota_command_open: Flag;
}

export const otaColumns = [
  "ota_channel",
  "pinned_version",
  "bench_mode",
  "ota_command",
  "ota_command_open",
] as const satisfies readonly (keyof OtaRow)[];

/**
 * Returns the column of a standing.
 *
 * @example
 * writeStanding.run({ deviceId, ...toStandingRow(standing) });
 */
export const toStandingRow = ({ current, blocks, lastReport }: OtaStanding): StandingRow => {
  const isNew = current === null && blocks.length === 0 && lastReport === null;
  return { ota_standing: isNew ? null : JSON.stringify({ current, blocks, lastReport }) };
};

/**
 * Returns the standing of a row.
 *
 * @example
 * const standing = toStanding(row);
 */
export const toStanding = ({ ota_standing }: StandingRow): OtaStanding =>
  ota_standing === null ? newStanding : (JSON.parse(ota_standing) as OtaStanding);

export const toOtaRow = (ota: DeviceOta): OtaRow => ({
  ota_channel: ota.channel,
  pinned_version: ota.pinnedVersion,
  bench_mode: ota.benchMode,
  ota_command: ota.command === null ? null : JSON.stringify(ota.command),
  ota_command_open: ota.isCommandOpen,
});

export const toDeviceOta = (row: OtaRow & StandingRow): DeviceOta => ({
  channel: row.ota_channel,
  pinnedVersion: row.pinned_version,
  benchMode: Boolean(row.bench_mode),
  command: row.ota_command === null ? null : (JSON.parse(row.ota_command) as UpdateCommand),
  isCommandOpen: Boolean(row.ota_command_open),
  ...toStanding(row),
});
