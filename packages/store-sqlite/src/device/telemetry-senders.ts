import { createBoundedCache } from "@device-gateway/core/store";
import type { Database } from "../database/database.js";
import { prepareDeviceNumbers } from "./device-numbers.js";

/** How many device numbers a process caches. */
const rememberedNumbers = 100_000;

/**
 * Records when each device last sent telemetry. It has a small table of its own because every
 * record changes it.
 */
export interface TelemetrySenders {
  /** Call it when a transaction begins. */
  begin(): void;
  /**
   * Records that the device sent records. Returns its number, or undefined if the device is
   * unknown.
   */
  recordRecords(deviceId: string, now: number): number | undefined;
  /** Records a request without records. Returns the number if the device has one. */
  recordContact(deviceId: string, now: number): number | undefined;
}

export function prepareTelemetrySenders(database: Database): TelemetrySenders {
  const numbers = prepareDeviceNumbers(database);
  const find = database
    .prepare<[string], number | null>("SELECT number FROM devices WHERE device_id = ?")
    .pluck();
  const seen = database
    .prepare<[now: number, deviceId: string], number | null>(
      `UPDATE devices SET last_seen_at = max(ifnull(last_seen_at, 0), ?)
       WHERE device_id = ? RETURNING number`,
    )
    .pluck();
  // A number is never reused, and its row is deleted with the device. No changed row means that
  // another process erased the device.
  const again = database.prepare<[now: number, device: number]>(
    "UPDATE telemetry_senders SET last_at = max(last_at, ?) WHERE device = ?",
  );
  const note = database.prepare<[device: number, now: number]>(
    `INSERT INTO telemetry_senders (device, last_at) VALUES (?, ?)
     ON CONFLICT (device) DO UPDATE SET last_at = max(last_at, excluded.last_at)`,
  );
  const remembered = createBoundedCache<number>(rememberedNumbers);
  // Not cached yet: if the transaction is rolled back, the numbers go to other devices.
  const given = new Set<number>();

  /** Returns the found number, or assigns one. */
  function numberOf(deviceId: string, found: number | null): number {
    if (found !== null) return found;
    const device = numbers.give(deviceId);
    given.add(device);
    return device;
  }

  return {
    begin: () => given.clear(),
    recordRecords(deviceId, now) {
      const known = remembered.get(deviceId);
      if (known !== undefined && again.run(now, known).changes > 0) return known;
      const found = find.get(deviceId);
      if (found === undefined) return undefined;
      const device = numberOf(deviceId, found);
      if (!given.has(device)) remembered.set(deviceId, device);
      note.run(device, now);
      return device;
    },
    recordContact(deviceId, now) {
      const found = seen.get(now, deviceId);
      return found === undefined ? undefined : numberOf(deviceId, found);
    },
  };
}
