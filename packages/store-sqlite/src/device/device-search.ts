import type { DeviceStore, SearchKey } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { type KnownDeviceRow, selectDevices, toKnownDevice } from "./known-device.js";

interface Range {
  /** The place after which the result begins. Its text is at least the lowest wanted one. */
  readonly value: string;
  readonly deviceId: string;
  readonly to: string;
  readonly limit: number;
}

/** Creates the searches of operators. An index serves each, and the row value is a place in it. */
export function createDeviceSearch({
  database,
  read,
}: Connection): Pick<DeviceStore, "search" | "listMarked"> {
  const prepareSearch = (column: string) =>
    database.prepare<[Range], KnownDeviceRow>(
      `${selectDevices}
       WHERE (d.${column}, d.device_id) > (@value, @deviceId) AND d.${column} <= @to
       ORDER BY d.${column}, d.device_id LIMIT @limit`,
    );
  const searches: Readonly<Record<SearchKey, ReturnType<typeof prepareSearch>>> = {
    name: prepareSearch("name"),
    ownerId: prepareSearch("owner_id"),
    targetHardware: prepareSearch("target_hardware"),
    firmwareVersion: prepareSearch("firmware_version"),
  };
  const prepareMarked = (condition: string) =>
    database.prepare<[string, number], KnownDeviceRow>(
      `${selectDevices} WHERE ${condition} AND d.device_id > ? ORDER BY d.device_id LIMIT ?`,
    );
  const marked = {
    revoked: prepareMarked("d.revoked_at IS NOT NULL"),
    unclaimed: prepareMarked("d.owner_id IS NULL"),
  };
  return {
    search: ({ by, from, after, ...range }) =>
      read(() => {
        const place = after ?? { value: from, deviceId: "" };
        return searches[by].all({ ...place, ...range }).map(toKnownDevice);
      }),

    listMarked: ({ mark, after, limit }) =>
      read(() => marked[mark].all(after, limit).map(toKnownDevice)),
  };
}
