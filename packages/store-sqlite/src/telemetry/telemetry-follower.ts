import {
  bytesPerTurn,
  type FollowedPage,
  type FollowedRecord,
  fromFollowCursor,
  type RecordRow,
  recordBytes,
  type TelemetryStore,
  toFollowCursor,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { type RecordRows, toRecord } from "./record-rows.js";
import type { ShapeRows } from "./shapes/shape-rows.js";

/** A record with its device, or nulls if the device is erased. */
type FollowedRow = RecordRow & {
  readonly deviceId: string | null;
  readonly targetHardware: string | null;
};

/** Creates the reading of all devices' records. One writer runs at a time, so positions ascend in commit order. */
export function createTelemetryFollower(
  { database, read }: Connection,
  shapes: ShapeRows,
  records: RecordRows,
): Pick<TelemetryStore, "follow" | "end"> {
  const rowsAfter = database.prepare<[number, number], FollowedRow>(
    `SELECT t.position, t.at, t.received_at AS receivedAt, t.seq, t.shape, t.content,
       d.device_id AS deviceId, d.target_hardware AS targetHardware
     FROM telemetry AS t LEFT JOIN devices AS d ON d.number = t.device
     WHERE t.position > ? ORDER BY t.position LIMIT ?`,
  );

  /** Reads rows until they are as much as one turn of the event loop may unpack. */
  function takeRows(after: number, limit: number): FollowedRow[] {
    const rows: FollowedRow[] = [];
    let bytes = 0;
    for (const row of rowsAfter.iterate(after, limit)) {
      rows.push(row);
      bytes += row.content.length + recordBytes;
      if (bytes >= bytesPerTurn) break;
    }
    return rows;
  }

  function readPage(after: number, limit: number): FollowedPage {
    const rows = takeRows(after, limit);
    const found = rows.flatMap((row): FollowedRecord | readonly [] => {
      const { deviceId, targetHardware } = row;
      if (deviceId === null || targetHardware === null) return [];
      return { deviceId, targetHardware, ...toRecord(shapes, row) };
    });
    return { records: found, next: toFollowCursor(rows.at(-1)?.position ?? after) };
  }

  return {
    follow: async ({ after, limit }) => {
      const position = fromFollowCursor(after);
      return read(() => readPage(position, limit));
    },
    end: () => read(() => toFollowCursor(records.lastPosition())),
  };
}
