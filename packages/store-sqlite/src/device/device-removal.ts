import type { DeviceStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { prepareDeviceNumbers } from "./device-numbers.js";
import { type ErasedDevice, prepareErasedNotes } from "./erased-devices.js";
import { prepareTransitionWriter } from "./transition-writer.js";

/** Never used, and registered for the last time before then; an index finds the first time. */
const unused = `first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL
  AND registered_at < @registeredBefore
  AND max(credential_issued_at, ifnull(pending_issued_at, 0)) < @registeredBefore`;

interface Unused {
  readonly deviceId: string | null;
  readonly registeredBefore: number;
  readonly limit: number;
}

export function createDeviceRemoval(
  { database, write }: Connection,
  clearErased: () => Promise<void>,
): Pick<DeviceStore, "erase" | "dropUnused"> {
  const writeTransition = prepareTransitionWriter(database);
  const numbers = prepareDeviceNumbers(database);
  const noteErased = prepareErasedNotes(database);
  const deleteDevice = database.prepare<[string]>("DELETE FROM devices WHERE device_id = ?");
  const block = database.prepare<[string]>("INSERT INTO blocked_ids (device_id) VALUES (?)");
  const dropOne = database.prepare<[Unused], ErasedDevice>(
    `DELETE FROM devices WHERE device_id IN
       (SELECT device_id FROM devices WHERE ${unused} AND device_id = @deviceId LIMIT @limit)
     RETURNING device_id AS deviceId, number`,
  );
  const dropAny = database.prepare<[Unused], ErasedDevice>(
    `DELETE FROM devices WHERE device_id IN
       (SELECT device_id FROM devices WHERE ${unused} ORDER BY registered_at LIMIT @limit)
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

    dropUnused: async ({ event, ...which }) => {
      const dropped = await write(() => {
        const devices = (which.deviceId === null ? dropAny : dropOne).all(which);
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
