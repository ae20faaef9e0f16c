import type { DeviceStore } from "@device-gateway/core/store";
import type { Connection } from "./connection.js";
import {
  type DeviceRow,
  deviceColumns,
  type ProfileRow,
  profileColumns,
  toDevice,
  toDeviceRow,
  toProfileRow,
} from "./device-row.js";
import { prepareEventWriter } from "./security-event-store.js";

export function createDeviceStore({ database, read, write }: Connection): DeviceStore {
  const writeEvent = prepareEventWriter(database);
  const find = database.prepare<[string], DeviceRow>("SELECT * FROM devices WHERE device_id = ?");
  const insert = database.prepare<[DeviceRow]>(
    `INSERT INTO devices (${deviceColumns.join(", ")})
     VALUES (${deviceColumns.map((column) => `@${column}`).join(", ")})
     ON CONFLICT (device_id) DO NOTHING`,
  );
  const updateProfile = database.prepare<[ProfileRow & { device_id: string }]>(
    `UPDATE devices SET ${profileColumns.map((column) => `${column} = @${column}`).join(", ")}
     WHERE device_id = @device_id`,
  );

  return {
    find: (deviceId) =>
      read(() => {
        const row = find.get(deviceId);
        return row === undefined ? null : toDevice(row);
      }),

    register: ({ device, event }) =>
      write(() => {
        if (insert.run(toDeviceRow(device)).changes === 0) return { kind: "exists" };
        writeEvent(event);
        return { kind: "registered" };
      }),

    recordProfile: ({ deviceId, profile }) =>
      write(() => {
        const { changes } = updateProfile.run({ device_id: deviceId, ...toProfileRow(profile) });
        return { kind: changes === 0 ? "unknown" : "recorded" };
      }),
  };
}
