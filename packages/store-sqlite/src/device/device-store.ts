import {
  type DeviceStore,
  type OwnedChange,
  type ProfileRow,
  profileColumns,
  setColumns,
  toActivityRow,
  toDeviceRow,
  toProfileRow,
} from "@device-gateway/core/store";
import { prepareChangeWriter } from "../database/change-feed.js";
import type { Connection } from "../database/connection.js";
import { type Bits, toBits } from "../database/to-bits.js";
import { createCredentialTransitions } from "./credential-transitions.js";
import { columnsOfDevices } from "./device-columns.js";
import { createDeviceRemoval } from "./device-removal.js";
import { createDeviceSearch } from "./device-search.js";
import { type KnownDeviceRow, selectDevices, toKnownDevice } from "./known-device.js";
import { prepareTelemetrySenders } from "./telemetry-senders.js";
import { prepareTransitionWriter } from "./transition-writer.js";

export function createDeviceStore(
  connection: Connection,
  deleteErasedData: () => Promise<void>,
): DeviceStore {
  return {
    ...createReads(connection),
    ...createDeviceSearch(connection),
    ...createRecords(connection),
    ...createOwnedChanges(connection),
    ...createCredentialTransitions(connection),
    ...createDeviceRemoval(connection, deleteErasedData),
  };
}

function createReads({ database, read, readOnce }: Connection): Pick<DeviceStore, "find" | "list"> {
  const find = database.prepare<[string], KnownDeviceRow>(`${selectDevices} WHERE device_id = ?`);
  const list = database.prepare<[string, number], KnownDeviceRow>(
    `${selectDevices} WHERE device_id > ? ORDER BY device_id LIMIT ?`,
  );
  const listOwned = database.prepare<[string, string, number], KnownDeviceRow>(
    `${selectDevices} WHERE owner_id = ? AND device_id > ? ORDER BY device_id LIMIT ?`,
  );
  return {
    find: (deviceId) =>
      readOnce(() => {
        const row = find.get(deviceId);
        return row === undefined ? null : toKnownDevice(row);
      }),

    list: ({ ownerId, after, limit }) =>
      read(() => {
        const rows =
          ownerId === null ? list.all(after, limit) : listOwned.all(ownerId, after, limit);
        return rows.map(toKnownDevice);
      }),
  };
}

function createRecords({
  database,
  write,
  join,
}: Connection): Pick<DeviceStore, "register" | "recordProfile" | "recordSeen"> {
  const writeTransition = prepareTransitionWriter(database);
  const writeChange = prepareChangeWriter(database);
  const senders = prepareTelemetrySenders(database);
  const findBlocked = database.prepare<[string]>("SELECT 1 FROM blocked_ids WHERE device_id = ?");
  const insert = database.prepare<[Bits<KnownDeviceRow>]>(
    `INSERT INTO devices (${columnsOfDevices.join(", ")})
     VALUES (${columnsOfDevices.map((column) => `@${column}`).join(", ")})
     ON CONFLICT (device_id) DO NOTHING`,
  );
  const updateProfile = database.prepare<[ProfileRow & { device_id: string }]>(
    `UPDATE devices SET ${setColumns(profileColumns)} WHERE device_id = @device_id`,
  );
  const updateSeen = database.prepare<[{ deviceId: string; now: number }]>(
    `UPDATE devices SET last_seen_at = @now
     WHERE device_id = @deviceId AND (last_seen_at IS NULL OR last_seen_at < @now)`,
  );
  return {
    register: ({ device, event }) =>
      write(() => {
        if (findBlocked.get(device.deviceId) !== undefined) return { kind: "blocked" };
        const row = { ...toDeviceRow(device), ...toActivityRow(device) };
        if (insert.run(toBits(row)).changes === 0) return { kind: "exists" };
        const { deviceId, lastTelemetryAt } = device;
        if (lastTelemetryAt !== null) senders.recordRecords(deviceId, lastTelemetryAt);
        writeTransition(event);
        join(event);
        return { kind: "registered" };
      }),

    recordProfile: ({ deviceId, profile, now }) =>
      write(() => {
        const { changes } = updateProfile.run({ device_id: deviceId, ...toProfileRow(profile) });
        if (changes === 0) return { kind: "unknown" };
        writeChange(deviceId, now);
        return { kind: "recorded" };
      }),

    recordSeen: ({ deviceId, now }) => write(() => void updateSeen.run({ deviceId, now })),
  };
}

function createOwnedChanges({
  database,
  write,
}: Connection): Pick<DeviceStore, "rename" | "openReEnrolment"> {
  const writeTransition = prepareTransitionWriter(database);
  const prepareChange = <Value>(column: "name" | "re_enrolment_until") => {
    const update = database.prepare<[{ deviceId: string; ownerId: string | null; value: Value }]>(
      `UPDATE devices SET ${column} = @value, revision = revision + 1
       WHERE device_id = @deviceId AND (@ownerId IS NULL OR owner_id = @ownerId)`,
    );
    return ({ deviceId, ownerId, event }: OwnedChange, value: Value) =>
      write(() => {
        const { changes } = update.run({ deviceId, ownerId, value });
        if (changes === 0) return { kind: "unknown" } as const;
        writeTransition(event);
        return { kind: "recorded" } as const;
      });
  };
  const setName = prepareChange<string>("name");
  const setWindow = prepareChange<number>("re_enrolment_until");
  return {
    rename: (input) => setName(input, input.name),
    openReEnrolment: (input) => setWindow(input, input.until),
  };
}
