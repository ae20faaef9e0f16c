import type { Database } from "better-sqlite3";

/** What telemetry calls a device: a number, since it stands in every row. */
export interface DeviceNumbers {
  /** Undefined for a device that is unknown or has sent nothing yet. */
  find(deviceId: string): number | undefined;
  /** Gives one to a device that has none yet. */
  give(deviceId: string): number;
}

export function prepareDeviceNumbers(database: Database): DeviceNumbers {
  const find = database
    .prepare<[string], number | null>("SELECT number FROM devices WHERE device_id = ?")
    .pluck();
  const next = database
    .prepare<[], number>(
      "UPDATE telemetry_counters SET last_device = last_device + 1 RETURNING last_device",
    )
    .pluck();
  const give = database.prepare<[number, string]>(
    "UPDATE devices SET number = ? WHERE device_id = ?",
  );
  return {
    find: (deviceId) => find.get(deviceId) ?? undefined,
    give(deviceId) {
      const number = next.get() as number;
      give.run(number, deviceId);
      return number;
    },
  };
}
