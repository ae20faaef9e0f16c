import type { DeviceStore } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import type { Connection } from "./connection.js";
import { prepareDeviceNumbers } from "./device-numbers.js";
import { prepareShapeUses } from "./shape-uses.js";
import { prepareTransitionWriter } from "./transition-writer.js";

/** A device that is gone, and what telemetry called it. */
interface Dropped {
  readonly deviceId: string;
  readonly number: number | null;
}

const unused = "first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL";

export function createDeviceRemoval({
  database,
  write,
}: Connection): Pick<DeviceStore, "erase" | "dropUnused"> {
  const writeTransition = prepareTransitionWriter(database);
  const numbers = prepareDeviceNumbers(database);
  const deleteSent = prepareDeleteSent(database);
  const deleteDevice = database.prepare<[string]>("DELETE FROM devices WHERE device_id = ?");
  const block = database.prepare<[string]>("INSERT INTO blocked_ids (device_id) VALUES (?)");
  const dropOne = database.prepare<[number, string, number], Dropped>(
    `DELETE FROM devices WHERE device_id IN
       (SELECT device_id FROM devices
        WHERE ${unused} AND registered_at < ? AND device_id = ? LIMIT ?)
     RETURNING device_id AS deviceId, number`,
  );
  const dropAny = database.prepare<[number, number], Dropped>(
    `DELETE FROM devices WHERE device_id IN
       (SELECT device_id FROM devices
        WHERE ${unused} AND registered_at < ? ORDER BY registered_at LIMIT ?)
     RETURNING device_id AS deviceId, number`,
  );

  return {
    erase: (input) =>
      write(() => {
        const { deviceId } = input;
        const number = numbers.find(deviceId) ?? null;
        if (deleteDevice.run(deviceId).changes === 0) return { kind: "unknown" };
        if (input.block) block.run(deviceId);
        deleteSent({ deviceId, number });
        writeTransition(input.event);
        return { kind: "recorded" };
      }),

    dropUnused: ({ deviceId, registeredBefore, limit, event }) =>
      write(() => {
        const dropped =
          deviceId === null
            ? dropAny.all(registeredBefore, limit)
            : dropOne.all(registeredBefore, deviceId, limit);
        for (const device of dropped) {
          deleteSent(device);
          writeTransition({ ...event, deviceId: device.deviceId });
        }
        return dropped.map((device) => device.deviceId);
      }),
  };
}

function prepareDeleteSent(database: Database): (device: Dropped) => void {
  const uses = prepareShapeUses(database);
  const byId = ["telemetry_keys", "ota_events", "device_updates"].map((table) =>
    database.prepare<[string]>(`DELETE FROM ${table} WHERE device_id = ?`),
  );
  const byNumber = [
    "telemetry",
    "telemetry_crowds",
    "telemetry_open_hours",
    "telemetry_rollups",
  ].map((table) => database.prepare<[number]>(`DELETE FROM ${table} WHERE device = ?`));
  return ({ deviceId, number }) => {
    for (const deletion of byId) deletion.run(deviceId);
    if (number === null) return;
    for (const deletion of byNumber) deletion.run(number);
    uses.dropOf(number);
  };
}
