import type { DeviceStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { type Session, statement } from "../database/statement.js";
import { lockId } from "./device-lock.js";
import { lockDevices } from "./device-numbers.js";
import { type EventParameters, mark, toEventParameters, told } from "./transition-writer.js";

/** Never used, and registered for the last time before then; an index finds the first time. */
const unused = `first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL
  AND registered_at < @registeredBefore
  AND greatest(credential_issued_at, pending_issued_at) < @registeredBefore`;

interface Named {
  readonly deviceIds: readonly string[];
}

const remove = statement<Named, object>(
  `DELETE FROM device_gateway.devices WHERE device_id = ANY (@deviceIds::text[])
   RETURNING device_id`,
);
const block = statement<Named, object>(
  "INSERT INTO device_gateway.blocked_ids (device_id) SELECT unnest(@deviceIds::text[])",
);
const tell = statement<Named & EventParameters, object>(
  `WITH ${mark}, gone AS (SELECT unnest(@deviceIds::text[]) AS device_id), ${told("gone")}
   SELECT FROM gone`,
);
const lockUnused = statement<
  { deviceId: string | null; registeredBefore: number; limit: number },
  { deviceId: string }
>(
  `SELECT device_id AS "deviceId" FROM device_gateway.devices
   WHERE ${unused}
     AND (@deviceId::text IS NULL OR device_id = @deviceId)
   ORDER BY registered_at LIMIT @limit FOR UPDATE`,
);
const noteErased = statement<{ devices: readonly number[] }, object>(
  "INSERT INTO device_gateway.telemetry_erased (device) SELECT unnest(@devices::integer[])",
);
/** What belongs to a device and goes with it; its records have its number only. */
const belongings = ["device_activity", "ota_events", "device_updates"].map((table) =>
  statement<Named, object>(
    `DELETE FROM device_gateway.${table} WHERE device_id = ANY (@deviceIds::text[])`,
  ),
);

/** `clearErased` goes as far as it can, in the time that it has: retention goes on where it ends. */
export function createDeviceRemoval(
  { write }: Connection,
  clearErased: () => Promise<void>,
): Pick<DeviceStore, "erase" | "dropUnused"> {
  async function clear(session: Session, deviceIds: readonly string[]): Promise<void> {
    // Who appends is done then, and sees afterwards that there is no such device.
    const numbers = await lockDevices(session, deviceIds);
    await noteErased(session, { devices: [...numbers.values()] });
    for (const removeFrom of belongings) await removeFrom(session, { deviceIds });
  }

  return {
    erase: async ({ deviceId, block: isBlocked, event }) => {
      const outcome = await write(async (session) => {
        await lockId(session, deviceId);
        const deviceIds = [deviceId];
        // In the order of those who report: activity first.
        await lockDevices(session, deviceIds);
        if ((await remove(session, { deviceIds })).length === 0) {
          return { kind: "unknown" } as const;
        }
        if (isBlocked) await block(session, { deviceIds });
        await clear(session, deviceIds);
        await tell(session, { deviceIds, ...toEventParameters(event) });
        return { kind: "recorded" } as const;
      });
      if (outcome.kind === "recorded") await clearErased();
      return outcome;
    },

    dropUnused: async ({ event, ...which }) => {
      const dropped = await write(async (session) => {
        const deviceIds = (await lockUnused(session, which)).map(({ deviceId }) => deviceId);
        if (deviceIds.length === 0) return deviceIds;
        await remove(session, { deviceIds });
        await clear(session, deviceIds);
        await tell(session, { deviceIds, ...toEventParameters(event) });
        return deviceIds;
      });
      if (dropped.length > 0) await clearErased();
      return dropped;
    },
  };
}
