import {
  type ActivityRow,
  type Device,
  type DeviceRow,
  toDevice,
} from "@device-gateway/core/store";

/**
 * A device with its activity. `last_seen_at` is the last request other than telemetry; the time of
 * the last telemetry comes from another table.
 */
export type KnownDeviceRow = DeviceRow & ActivityRow;

/** Selects devices `d` with their activity. */
export const selectDevices = `SELECT d.*, s.last_at AS last_telemetry_at
  FROM devices d LEFT JOIN telemetry_senders s ON s.device = d.number`;

const latestOf = (seenAt: number | null, sentAt: number | null) =>
  seenAt === null || sentAt === null ? (seenAt ?? sentAt) : Math.max(seenAt, sentAt);

export const toKnownDevice = (row: KnownDeviceRow): Device => ({
  ...toDevice(row),
  lastSeenAt: latestOf(row.last_seen_at, row.last_telemetry_at),
});
