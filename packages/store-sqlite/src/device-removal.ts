import type { DeviceStore } from "@device-gateway/core/store";
import type { Connection } from "./connection.js";
import { type ErasedDevice, prepareErasedNotes } from "./device-erasure.js";
import { prepareDeviceNumbers } from "./device-numbers.js";
import { prepareTransitionWriter } from "./transition-writer.js";

const unused = "first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL";

export function createDeviceRemoval(
  { database, write }: Connection,
  clearErased: () => Promise<void>,
): Pick<DeviceStore, "erase" | "dropUnused"> {
  const writeTransition = prepareTransitionWriter(database);
  const numbers = prepareDeviceNumbers(database);
  const noteErased = prepareErasedNotes(database);
  const deleteDevice = database.prepare<[string]>("DELETE FROM devices WHERE device_id = ?");
  const block = database.prepare<[string]>("INSERT INTO blocked_ids (device_id) VALUES (?)");
  const dropOne = database.prepare<[number, string, number], ErasedDevice>(
    `DELETE FROM devices WHERE device_id IN
       (SELECT device_id FROM devices
        WHERE ${unused} AND registered_at < ? AND device_id = ? LIMIT ?)
     RETURNING device_id AS deviceId, number`,
  );
  const dropAny = database.prepare<[number, number], ErasedDevice>(
    `DELETE FROM devices WHERE device_id IN
       (SELECT device_id FROM devices
        WHERE ${unused} AND registered_at < ? ORDER BY registered_at LIMIT ?)
     RETURNING device_id AS deviceId, number`,
  );

  return {
    erase: async ({ deviceId, block: isBlocked, event }) => {
      const outcome = await write(() => {
        const number = numbers.find(deviceId) ?? null;
        if (deleteDevice.run(deviceId).changes === 0) return { kind: "unknown" } as const;
        if (isBlocked) block.run(deviceId);
        noteErased({ deviceId, number });
        writeTransition(event);
        return { kind: "recorded" } as const;
      });
      if (outcome.kind === "recorded") await clearErased();
      return outcome;
    },

    dropUnused: async ({ deviceId, registeredBefore, limit, event }) => {
      const dropped = await write(() => {
        const devices =
          deviceId === null
            ? dropAny.all(registeredBefore, limit)
            : dropOne.all(registeredBefore, deviceId, limit);
        for (const device of devices) {
          noteErased(device);
          writeTransition({ ...event, deviceId: device.deviceId });
        }
        return devices.map((device) => device.deviceId);
      });
      if (dropped.length > 0) await clearErased();
      return dropped;
    },
  };
}
