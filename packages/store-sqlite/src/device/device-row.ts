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

const latestOf = (seenAt: number | null, sentAt: number | null) =>
  seenAt === null || sentAt === null ? (seenAt ?? sentAt) : Math.max(seenAt, sentAt);

export const toKnownDevice = (row: KnownDeviceRow): Device => ({
  ...toDevice(row),
  lastSeenAt: latestOf(row.last_seen_at, row.last_telemetry_at),
});
