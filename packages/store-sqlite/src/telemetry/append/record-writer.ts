import type { AppendVerdict, TelemetryRecord } from "@device-gateway/core/store";
import type { Database } from "../../database/database.js";
import type { ShapeRows } from "../shapes/shape-rows.js";
import type { DuplicateSearch } from "./duplicate-search.js";

type RecordParameters = [
  device: number,
  at: number,
  receivedAt: number,
  seq: number | null,
  timed: 0 | 1,
  shape: number | null,
  content: Uint8Array,
];

/** Stores records within a transaction. */
export interface RecordWriter {
  /** Call it when the transaction begins, with the highest assigned position. */
  begin(lastPosition: number): void;
  write(device: number, receivedAt: number, record: TelemetryRecord): AppendVerdict;
}

export function prepareRecordWriter(
  database: Database,
  shapes: ShapeRows,
  duplicates: DuplicateSearch,
): RecordWriter {
  const insert = database.prepare<RecordParameters>(
    `INSERT INTO telemetry (device, at, received_at, seq, timed, shape, content)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  let lastPosition = 0;
  return {
    begin(position) {
      lastPosition = position;
      duplicates.begin();
    },
    write(device, receivedAt, record) {
      const { at, seq, isTimed, value } = record;
      const { isDuplicate, noteStored } = duplicates.search(device, record);
      if (isDuplicate) return "duplicate";
      const { shape, content } = shapes.packRecord(device, lastPosition + 1, value);
      const row = insert.run(device, at, receivedAt, seq, isTimed ? 1 : 0, shape, content);
      lastPosition = Number(row.lastInsertRowid);
      noteStored?.();
      return "stored";
    },
  };
}
