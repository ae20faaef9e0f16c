import { createBoundedCache } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import { prepareDeviceNumbers } from "./device-numbers.js";

/** Devices whose numbers a process remembers. */
const rememberedNumbers = 100_000;

/** Who sends telemetry, and when each did last: some bytes a device, since every record changes them. */
export interface TelemetrySenders {
  /** Call it as a transaction begins. */
  begin(): void;
  /** Notes that a device sent records; gives its number, undefined for an unknown one. */
  sent(deviceId: string, now: number): number | undefined;
  /** Notes that a device was there without any; gives the same. */
  heard(deviceId: string, now: number): number | undefined;
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
  // Numbers are given once, and go with their device: another process may have erased it meanwhile.
  const again = database.prepare<[now: number, device: number]>(
    "UPDATE telemetry_senders SET last_at = max(last_at, ?) WHERE device = ?",
  );
  const note = database.prepare<[device: number, now: number]>(
    `INSERT INTO telemetry_senders (device, last_at) VALUES (?, ?)
     ON CONFLICT (device) DO UPDATE SET last_at = max(last_at, excluded.last_at)`,
  );
  const remembered = createBoundedCache<number>(rememberedNumbers);
  // Not to be remembered yet: a transaction that is rolled back leaves its numbers to others.
  const given = new Set<number>();

  /** Gives a number to a device that has none. */
  function numberOf(deviceId: string, found: number | null): number {
    if (found !== null) return found;
    const device = numbers.give(deviceId);
    given.add(device);
    return device;
  }

  return {
    begin: () => given.clear(),
    sent(deviceId, now) {
      const known = remembered.get(deviceId);
      if (known !== undefined && again.run(now, known).changes > 0) return known;
      const found = find.get(deviceId);
      if (found === undefined) return undefined;
      const device = numberOf(deviceId, found);
      if (!given.has(device)) remembered.set(deviceId, device);
      note.run(device, now);
      return device;
    },
    heard(deviceId, now) {
      const found = seen.get(now, deviceId);
      return found === undefined ? undefined : numberOf(deviceId, found);
    },
  };
}
