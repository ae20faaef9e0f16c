import type { OtaEvent, OtaEventStore, OtaNews, StoredOtaEvent } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import { prepareChangeWriter } from "./change-feed.js";
import type { Connection } from "./connection.js";

type Bit = 0 | 1 | null;
type Flag = "lastCheckSucceeded" | "updateAvailable" | "updateApplied";
type OtaRow = Omit<OtaEvent, Flag> & { readonly [Name in Flag]: Bit };

const toBit = (flag: boolean | null): Bit => (flag === null ? null : flag ? 1 : 0);
const toFlag = (bit: Bit): boolean | null => (bit === null ? null : bit === 1);

const toEvent = (row: OtaRow & { id: number }): StoredOtaEvent => ({
  ...row,
  lastCheckSucceeded: toFlag(row.lastCheckSucceeded),
  updateAvailable: toFlag(row.updateAvailable),
  updateApplied: toFlag(row.updateApplied),
});

export function createOtaEventStore({ database, read, write }: Connection): OtaEventStore {
  const list = database.prepare<[string, number, number, number], OtaRow & { id: number }>(
    `SELECT id, device_id AS deviceId, created_at AS createdAt, source, state,
       offered_version AS offeredVersion, from_version AS fromVersion, last_result AS lastResult,
       last_check_succeeded AS lastCheckSucceeded, update_available AS updateAvailable,
       update_applied AS updateApplied
     FROM ota_events WHERE device_id = ? AND id < ? AND created_at >= ? ORDER BY id DESC LIMIT ?`,
  );
  const prune = database.prepare<[number, number]>(
    `DELETE FROM ota_events WHERE id IN (SELECT id FROM ota_events ORDER BY id LIMIT ?)
     AND created_at < ?`,
  );
  return {
    list: ({ deviceId, from, before, limit }) =>
      read(() => list.all(deviceId, before, from, limit).map(toEvent)),
    prune: ({ createdBefore, limit }) => write(() => prune.run(limit, createdBefore).changes),
  };
}

/** Prepares what makes an event of an OTA status that differs from the one before. */
export function prepareOtaTeller(database: Database): (deviceId: string, news: OtaNews) => void {
  const writeChange = prepareChangeWriter(database);
  const replace = database.prepare<[string, string, string]>(
    "UPDATE devices SET ota_fingerprint = ? WHERE device_id = ? AND ota_fingerprint IS NOT ?",
  );
  const insert = database.prepare<[OtaRow]>(
    `INSERT INTO ota_events (device_id, created_at, source, state, offered_version, from_version,
       last_result, last_check_succeeded, update_available, update_applied)
     VALUES (@deviceId, @createdAt, @source, @state, @offeredVersion, @fromVersion,
       @lastResult, @lastCheckSucceeded, @updateAvailable, @updateApplied)`,
  );
  return (deviceId, { fingerprint, event }) => {
    if (replace.run(fingerprint, deviceId, fingerprint).changes === 0) return;
    insert.run({
      ...event,
      lastCheckSucceeded: toBit(event.lastCheckSucceeded),
      updateAvailable: toBit(event.updateAvailable),
      updateApplied: toBit(event.updateApplied),
    });
    writeChange(deviceId, event.createdAt);
  };
}
