import { canonicalJson, type DeviceMetadata, type MetadataStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { type KnownDeviceRow, selectDevices, toKnownDevice } from "./known-device.js";
import { prepareEventWriter } from "./security-event-store.js";

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly deviceId: string;
}

interface Content {
  readonly deviceId: string;
  readonly content: string;
}

interface Page {
  readonly key: string;
  readonly value: string;
  readonly after: string;
  readonly limit: number;
}

export function createMetadataStore({ database, read, write }: Connection): MetadataStore {
  const writeEvent = prepareEventWriter(database);
  const select = database
    .prepare<[string], string>("SELECT content FROM device_metadata WHERE device_id = ?")
    .pluck();
  const find = (deviceId: string) => {
    const content = select.get(deviceId);
    return content === undefined ? null : (JSON.parse(content) as DeviceMetadata);
  };
  const findDevice = database.prepare<[string]>("SELECT 1 FROM devices WHERE device_id = ?");
  const set = database.prepare<[Content]>(
    `INSERT INTO device_metadata (device_id, content) VALUES (@deviceId, @content)
     ON CONFLICT (device_id) DO UPDATE SET content = @content`,
  );
  const remove = database.prepare<[string]>("DELETE FROM device_metadata WHERE device_id = ?");
  const clearIndex = database.prepare<[string]>(
    "DELETE FROM device_metadata_index WHERE device_id = ?",
  );
  const addToIndex = database.prepare<[Entry]>(
    `INSERT INTO device_metadata_index (key, value, device_id) VALUES (@key, @value, @deviceId)`,
  );
  const list = database.prepare<[Page], KnownDeviceRow>(
    `${selectDevices} WHERE d.device_id IN (
       SELECT device_id FROM device_metadata_index
       WHERE key = @key AND value = @value AND device_id > @after ORDER BY device_id LIMIT @limit
     ) ORDER BY d.device_id`,
  );

  return {
    find: (deviceId) => read(() => find(deviceId)),

    // The write lock makes it atomic: nobody else writes between these statements.
    replace: ({ deviceId, expected, next, index, event }) =>
      write(() => {
        if (findDevice.get(deviceId) === undefined) return { kind: "unknown" };
        if (canonicalJson(find(deviceId)) !== canonicalJson(expected)) return { kind: "conflict" };
        if (next === null) remove.run(deviceId);
        else set.run({ deviceId, content: JSON.stringify(next) });
        clearIndex.run(deviceId);
        for (const [key, value] of Object.entries(index)) addToIndex.run({ key, value, deviceId });
        writeEvent(event);
        return { kind: "replaced" };
      }),

    listDevices: (page) => read(() => list.all(page).map(toKnownDevice)),
  };
}
