import type { Database } from "../database/database.js";

/** Maps device ids to numbers. Telemetry rows hold the number because it is shorter. */
export interface DeviceNumbers {
  /** Returns undefined if the device is unknown or has never sent telemetry. */
  find(deviceId: string): number | undefined;
  /** Assigns a number to a device that has none. */
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
