import { createBoundedCache } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import { prepareDeviceNumbers } from "./device-numbers.js";

/** Devices whose numbers a process remembers. */
const rememberedNumbers = 100_000;

/** A device's number: null before its first record, undefined for an unknown device. */
type Sender = number | null | undefined;

/** Who sends telemetry, and when each did last: some bytes a device, since every record changes them. */
export interface TelemetrySenders {
  /** Call it as a transaction begins. */
  begin(): void;
  /** Notes that a device sent records, and gives a number to one that has none. */
  sent(deviceId: string, now: number): Exclude<Sender, null>;
  /** Notes that a device was there, with nothing to keep. */
  heard(deviceId: string, now: number): Sender;
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

  return {
    begin: () => given.clear(),
    sent(deviceId, now) {
      const known = remembered.get(deviceId);
      if (known !== undefined && again.run(now, known).changes > 0) return known;
      const found = find.get(deviceId);
      if (found === undefined) return undefined;
      const device = found ?? numbers.give(deviceId);
      if (found === null) given.add(device);
      if (!given.has(device)) remembered.set(deviceId, device);
      note.run(device, now);
      return device;
    },
    heard: (deviceId, now) => seen.get(now, deviceId),
  };
}
