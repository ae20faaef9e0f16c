import {
  type ActivityRow,
  type DeviceRow,
  type DeviceStore,
  type SearchKey,
  toDevice,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";
import { devices } from "./device-columns.js";

type FullRow = DeviceRow & ActivityRow;
interface Range {
  /** The place after which the result begins. Its text is at least the lowest wanted one. */
  readonly value: string;
  readonly deviceId: string;
  readonly to: string;
  readonly limit: number;
}

/** An index serves each search, and the row value is a place in it. */
const searchBy = (column: string) =>
  statement<Range, FullRow>(
    `SELECT * FROM ${devices}
     WHERE ${column} IS NOT NULL
       AND (${column} COLLATE "C", device_id) > (@value, @deviceId)
       AND ${column} COLLATE "C" <= @to
     ORDER BY ${column} COLLATE "C", device_id LIMIT @limit`,
  );
const searches: Readonly<Record<SearchKey, ReturnType<typeof searchBy>>> = {
  name: searchBy("name"),
  ownerId: searchBy("owner_id"),
  targetHardware: searchBy("target_hardware"),
  firmwareVersion: searchBy("firmware_version"),
};
const markedWith = (condition: string) =>
  statement<{ after: string; limit: number }, FullRow>(
    `SELECT * FROM ${devices} WHERE ${condition} AND device_id > @after
     ORDER BY device_id LIMIT @limit`,
  );
const marked = {
  revoked: markedWith("revoked_at IS NOT NULL"),
  unclaimed: markedWith("owner_id IS NULL"),
};

/** Creates the searches of operators. */
export const createDeviceSearch = ({
  read,
}: Connection): Pick<DeviceStore, "search" | "listMarked"> => ({
  search: ({ by, from, after, ...range }) =>
    read(async (session) => {
      const place = after ?? { value: from, deviceId: "" };
      return (await searches[by](session, { ...place, ...range })).map(toDevice);
    }),

  listMarked: ({ mark, ...page }) =>
    read(async (session) => (await marked[mark](session, page)).map(toDevice)),
});
