import {
  type ActivityRow,
  type DeviceRow,
  type DeviceStore,
  type OwnedChange,
  type ProfileRow,
  profileColumns,
  setColumns,
  toActivityRow,
  toDevice,
  toDeviceRow,
  toProfileRow,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";
import { createCredentialTransitions } from "./credential-transitions.js";
import { columnsOfActivity, columnsOfDevices, devices } from "./device-columns.js";
import { lockId } from "./device-lock.js";
import { createDeviceRemoval } from "./device-removal.js";
import { createDeviceSearch } from "./device-search.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeChanges,
  writeTransitions,
} from "./transition-writer.js";

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

type FullRow = DeviceRow & ActivityRow;
interface Page {
  readonly ownerId: string | null;
  readonly after: string;
  readonly limit: number;
}

const find = statement<{ deviceId: string }, FullRow>(
  `SELECT * FROM ${devices} WHERE device_id = @deviceId`,
);
const list = statement<Page, FullRow>(
  `SELECT * FROM ${devices} WHERE device_id > @after ORDER BY device_id LIMIT @limit`,
);
const listOwned = statement<Page, FullRow>(
  `SELECT * FROM ${devices} WHERE owner_id = @ownerId AND device_id > @after
   ORDER BY device_id LIMIT @limit`,
);

function createReads({ read }: Connection): Pick<DeviceStore, "find" | "list"> {
  return {
    find: (deviceId) =>
      read(async (session) => {
        const [row] = await find(session, { deviceId });
        return row === undefined ? null : toDevice(row);
      }),

    list: (page) =>
      read(async (session) => {
        const rows = await (page.ownerId === null ? list : listOwned)(session, page);
        return rows.map(toDevice);
      }),
  };
}

const named = (columns: readonly string[]): string =>
  columns.map((column) => `@${column}`).join(", ");

const findBlocked = statement<{ deviceId: string }, object>(
  "SELECT FROM device_gateway.blocked_ids WHERE device_id = @deviceId",
);
const insert = statement<FullRow & EventParameters, object>(
  `WITH ${mark},
   inserted AS (
     INSERT INTO device_gateway.devices (${columnsOfDevices.join(", ")})
     VALUES (${named(columnsOfDevices)}) ON CONFLICT (device_id) DO NOTHING RETURNING device_id
   ), active AS (
     INSERT INTO device_gateway.device_activity (device_id, ${columnsOfActivity.join(", ")})
     SELECT device_id, @last_seen_at::bigint, @last_telemetry_at::bigint, @ota_fingerprint,
       @ota_standing
     FROM inserted
   ), ${writeTransitions("inserted")}
   SELECT FROM inserted`,
);
const updateProfile = statement<ProfileRow & { device_id: string; now: number }, object>(
  `WITH ${mark},
   updated AS (
     UPDATE device_gateway.devices SET ${setColumns(profileColumns)}
     WHERE device_id = @device_id RETURNING device_id
   ), fed AS (${writeChanges("updated", "@now::bigint")})
   SELECT FROM updated`,
);
const updateSeen = statement<{ deviceId: string; now: number }, object>(
  `UPDATE device_gateway.device_activity SET last_seen_at = @now
   WHERE device_id = @deviceId AND (last_seen_at IS NULL OR last_seen_at < @now)`,
);

function createRecords({
  change,
  write,
}: Connection): Pick<DeviceStore, "register" | "recordProfile" | "recordSeen"> {
  return {
    register: ({ device, event }) =>
      write(async (session, join) => {
        const { deviceId } = device;
        await lockId(session, deviceId);
        if ((await findBlocked(session, { deviceId })).length > 0) return { kind: "blocked" };
        const row = { ...toDeviceRow(device), ...toActivityRow(device) };
        const inserted = await insert(session, { ...row, ...toEventParameters(event) });
        if (inserted.length === 0) return { kind: "exists" };
        await join(event);
        return { kind: "registered" };
      }),

    recordProfile: ({ deviceId, profile, now }) =>
      change(async (session) => {
        const row = { device_id: deviceId, now, ...toProfileRow(profile) };
        const updated = await updateProfile(session, row);
        return { kind: updated.length > 0 ? "recorded" : "unknown" };
      }),

    recordSeen: (seen) =>
      change(async (session) => {
        await updateSeen(session, seen);
      }),
  };
}

interface Change<Value> extends EventParameters {
  readonly deviceId: string;
  readonly ownerId: string | null;
  readonly value: Value;
}

function createOwnedChanges({
  change,
}: Connection): Pick<DeviceStore, "rename" | "openReEnrolment"> {
  const readyChange = <Value>(column: "name" | "re_enrolment_until") => {
    const update = statement<Change<Value>, object>(
      `WITH ${mark},
       updated AS (
         UPDATE device_gateway.devices SET ${column} = @value, revision = revision + 1
         WHERE device_id = @deviceId AND (@ownerId::text IS NULL OR owner_id = @ownerId)
         RETURNING device_id
       ), ${writeTransitions("updated")}
       SELECT FROM updated`,
    );
    return ({ deviceId, ownerId, event }: OwnedChange, value: Value) =>
      change(async (session) => {
        const parameters = { deviceId, ownerId, value, ...toEventParameters(event) };
        const updated = await update(session, parameters);
        return { kind: updated.length > 0 ? ("recorded" as const) : ("unknown" as const) };
      });
  };
  const setName = readyChange<string>("name");
  const setWindow = readyChange<number>("re_enrolment_until");
  return {
    rename: (input) => setName(input, input.name),
    openReEnrolment: (input) => setWindow(input, input.until),
  };
}
