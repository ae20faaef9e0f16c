import type { DeviceStore } from "@device-gateway/core/store";
import { type Connection, callDeadline } from "../database/connection/connection.js";
import { type Session, statement } from "../database/statement.js";
import { lockId } from "./device-lock.js";
import { lockDevices } from "./device-numbers.js";
import { eraseAlerts, eraseEvents } from "./erased-marks.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeTransitions,
} from "./transition-writer.js";

/** When a device last registered. It must equal the expression of the index `devices_unused`. */
const lastRegisteredAt = "greatest(registered_at, credential_issued_at, pending_issued_at)";
/** A device that was never used and last registered before `@registeredBefore`. */
const unused = `first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL
  AND ${lastRegisteredAt} < @registeredBefore`;

interface DeviceIds {
  readonly deviceIds: readonly string[];
}
interface Unused {
  readonly deviceId: string | null;
  readonly registeredBefore: number;
  readonly limit: number;
}

const remove = statement<DeviceIds, object>(
  `DELETE FROM device_gateway.devices WHERE device_id = ANY (@deviceIds::text[])
   RETURNING device_id`,
);
const block = statement<DeviceIds, object>(
  "INSERT INTO device_gateway.blocked_ids (device_id) SELECT unnest(@deviceIds::text[])",
);
const recordErased = statement<DeviceIds & EventParameters, object>(
  `WITH ${mark}, gone AS (SELECT unnest(@deviceIds::text[]) AS device_id), ${writeTransitions("gone")}
   SELECT FROM gone`,
);
const findUnused = statement<Unused, { deviceId: string }>(
  `SELECT device_id AS "deviceId" FROM device_gateway.devices
   WHERE ${unused}
     AND (@deviceId::text IS NULL OR device_id = @deviceId)
   ORDER BY ${lastRegisteredAt}, registered_at LIMIT @limit`,
);
const lockUnused = statement<DeviceIds & Pick<Unused, "registeredBefore">, { deviceId: string }>(
  `SELECT device_id AS "deviceId" FROM device_gateway.devices
   WHERE device_id = ANY (@deviceIds::text[]) AND ${unused}
   ORDER BY device_id FOR UPDATE`,
);
const markErased = statement<{ devices: readonly number[] }, object>(
  "INSERT INTO device_gateway.telemetry_erased (device) SELECT unnest(@devices::integer[])",
);
/**
 * Tables in which a device has few rows. These are deleted with the device. Its OTA events, alerts and telemetry become
 * unreachable and are deleted later.
 */
const ownedTables = [
  "device_activity",
  "device_updates",
  "device_metadata",
  "device_metadata_index",
  "telemetry_refusals",
  "device_commands",
  "alert_rules",
  "alert_notifications",
  "alert_watches",
].map((table) =>
  statement<DeviceIds, object>(
    `DELETE FROM device_gateway.${table} WHERE device_id = ANY (@deviceIds::text[])`,
  ),
);

const toIds = (rows: readonly { readonly deviceId: string }[]): string[] =>
  rows.map(({ deviceId }) => deviceId);

/** `deleteErasedData` deletes as much as it can in its time. Retention deletes the rest. */
export function createDeviceRemoval(
  { write, runSteps, writeStep }: Connection,
  deleteErasedData: () => Promise<void>,
): Pick<DeviceStore, "erase" | "dropUnused"> {
  async function removeData(session: Session, deviceIds: readonly string[]): Promise<void> {
    // Waits for running appends. Later ones find no such device.
    const numbers = await lockDevices(session, deviceIds);
    await markErased(session, { devices: [...numbers.values()] });
    await eraseEvents(session, { deviceIds });
    await eraseAlerts(session, { deviceIds, ownerId: "" });
    for (const removeFrom of ownedTables) await removeFrom(session, { deviceIds });
  }

  return {
    erase: async ({ deviceId, block: isBlocked, event }) => {
      const outcome = await write(async (session) => {
        await lockId(session, deviceId);
        const deviceIds = [deviceId];
        // Lock the activity first, in the same order as update reports do.
        await lockDevices(session, deviceIds);
        if ((await remove(session, { deviceIds })).length === 0) {
          return { kind: "unknown" } as const;
        }
        if (isBlocked) await block(session, { deviceIds });
        await removeData(session, deviceIds);
        await recordErased(session, { deviceIds, ...toEventParameters(event) });
        return { kind: "recorded" } as const;
      });
      if (outcome.kind === "recorded") await deleteErasedData();
      return outcome;
    },

    dropUnused: async ({ event, ...which }) => {
      /** Returns null if other transactions dropped or used all devices that were found. */
      const dropSome = async (session: Session): Promise<string[] | null> => {
        const found = toIds(await findUnused(session, which));
        if (found.length === 0) return found;
        // Lock the activity first, as `erase` does.
        await lockDevices(session, found);
        const { registeredBefore } = which;
        const locked = await lockUnused(session, { deviceIds: found, registeredBefore });
        const unused = new Set(toIds(locked));
        const deviceIds = found.filter((id) => unused.has(id));
        if (deviceIds.length === 0) return null;
        await remove(session, { deviceIds });
        await removeData(session, deviceIds);
        await recordErased(session, { deviceIds, ...toEventParameters(event) });
        return deviceIds;
      };
      const dropped = await runSteps(async () => {
        const deadline = callDeadline();
        for (;;) {
          const deviceIds = await writeStep(dropSome, deadline);
          if (deviceIds !== null) return deviceIds;
        }
      });
      if (dropped.length > 0) await deleteErasedData();
      return dropped;
    },
  };
}
