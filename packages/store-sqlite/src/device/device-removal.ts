import { type DeviceStore, nextTurn } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { prepareDeviceNumbers } from "./device-numbers.js";
import { type ErasedDevice, prepareErasedMarks } from "./erased-marks.js";
import { prepareTransitionWriter } from "./transition-writer.js";

/** When a device last registered. It must equal the expression of the index `devices_unused`. */
const lastRegisteredAt = "max(registered_at, credential_issued_at, ifnull(pending_issued_at, 0))";
/** A device that was never used and last registered before `@registeredBefore`. */
const unused = `first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL
  AND ${lastRegisteredAt} < @registeredBefore`;

/** Unused devices that are dropped in one step. Each has rows in several tables. */
const stepDevices = 50;

type DropInput = Parameters<DeviceStore["dropUnused"]>[0];
type Unused = Omit<DropInput, "event">;

export function createDeviceRemoval(
  { database, write, runSteps, writeStep }: Connection,
  deleteErasedData: () => Promise<void>,
): Pick<DeviceStore, "erase" | "dropUnused"> {
  const writeTransition = prepareTransitionWriter(database);
  const numbers = prepareDeviceNumbers(database);
  const markErased = prepareErasedMarks(database);
  const deleteDevice = database.prepare<[string]>("DELETE FROM devices WHERE device_id = ?");
  const block = database.prepare<[string]>("INSERT INTO blocked_ids (device_id) VALUES (?)");
  const dropOne = database.prepare<[Unused], ErasedDevice>(
    `DELETE FROM devices WHERE device_id IN
       (SELECT device_id FROM devices WHERE ${unused} AND device_id = @deviceId LIMIT @limit)
     RETURNING device_id AS deviceId, number`,
  );
  const dropAny = database.prepare<[Unused], ErasedDevice>(
    `DELETE FROM devices WHERE device_id IN
       (SELECT device_id FROM devices WHERE ${unused}
        ORDER BY ${lastRegisteredAt}, registered_at LIMIT @limit)
     RETURNING device_id AS deviceId, number`,
  );

  /** Drops devices within a transaction. */
  function dropSome(which: Unused, event: DropInput["event"]): string[] {
    const devices = (which.deviceId === null ? dropAny : dropOne).all(which);
    for (const device of devices) {
      markErased(device);
      writeTransition({ ...event, deviceId: device.deviceId });
    }
    return devices.map(({ deviceId }) => deviceId);
  }

  async function dropInSteps({ event, ...which }: DropInput): Promise<string[]> {
    const dropped: string[] = [];
    for (;;) {
      const limit = Math.min(stepDevices, which.limit - dropped.length);
      const some = await writeStep(() => dropSome({ ...which, limit }, event));
      dropped.push(...some);
      if (some.length < limit || dropped.length >= which.limit) return dropped;
      await nextTurn();
    }
  }

  return {
    erase: async ({ deviceId, block: isBlocked, event }) => {
      const outcome = await write(() => {
        const number = numbers.find(deviceId) ?? null;
        if (deleteDevice.run(deviceId).changes === 0) return { kind: "unknown" } as const;
        if (isBlocked) block.run(deviceId);
        markErased({ deviceId, number });
        writeTransition(event);
        return { kind: "recorded" } as const;
      });
      if (outcome.kind === "recorded") await deleteErasedData();
      return outcome;
    },

    dropUnused: async (input) => {
      const dropped = await runSteps(() => dropInSteps(input));
      if (dropped.length > 0) await deleteErasedData();
      return dropped;
    },
  };
}
