import type { DeviceStore } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import type { Connection } from "./connection.js";
import { prepareTransitionWriter } from "./transition-writer.js";

const unused = "first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL";

export function createDeviceRemoval({
  database,
  write,
}: Connection): Pick<DeviceStore, "erase" | "dropUnused"> {
  const writeTransition = prepareTransitionWriter(database);
  const deleteSent = prepareDeleteSent(database);
  const deleteDevice = database.prepare<[string]>("DELETE FROM devices WHERE device_id = ?");
  const block = database.prepare<[string]>("INSERT INTO blocked_ids (device_id) VALUES (?)");
  const dropOne = database
    .prepare<[number, string, number], string>(
      `DELETE FROM devices WHERE device_id IN
         (SELECT device_id FROM devices
          WHERE ${unused} AND registered_at < ? AND device_id = ? LIMIT ?)
       RETURNING device_id`,
    )
    .pluck();
  const dropAny = database
    .prepare<[number, number], string>(
      `DELETE FROM devices WHERE device_id IN
         (SELECT device_id FROM devices
          WHERE ${unused} AND registered_at < ? ORDER BY registered_at LIMIT ?)
       RETURNING device_id`,
    )
    .pluck();

  return {
    erase: (input) =>
      write(() => {
        const { deviceId } = input;
        if (deleteDevice.run(deviceId).changes === 0) return { kind: "unknown" };
        if (input.block) block.run(deviceId);
        deleteSent(deviceId);
        writeTransition(input.event);
        return { kind: "recorded" };
      }),

    dropUnused: ({ deviceId, registeredBefore, limit, event }) =>
      write(() => {
        const dropped =
          deviceId === null
            ? dropAny.all(registeredBefore, limit)
            : dropOne.all(registeredBefore, deviceId, limit);
        for (const id of dropped) {
          deleteSent(id);
          writeTransition({ ...event, deviceId: id });
        }
        return dropped;
      }),
  };
}

function prepareDeleteSent(database: Database): (deviceId: string) => void {
  const deletions = [
    "telemetry",
    "telemetry_keys",
    "telemetry_open_hours",
    "telemetry_rollups",
    "ota_events",
    "device_updates",
  ].map((table) => database.prepare<[string]>(`DELETE FROM ${table} WHERE device_id = ?`));
  return (deviceId) => {
    for (const deletion of deletions) deletion.run(deviceId);
  };
}
