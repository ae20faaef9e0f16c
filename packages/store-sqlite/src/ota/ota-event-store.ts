import type {
  OtaEventStore,
  OtaReport,
  ReportOutcome,
  StoredOtaEvent,
} from "@device-gateway/core/store";
import { prepareChangeWriter } from "../database/change-feed.js";
import type { Connection } from "../database/connection.js";
import type { Database } from "../database/database.js";
import type { OtaEventRow } from "./ota-event-writer.js";
import { prepareReporter } from "./update-reporter.js";

const toFlag = (bit: 0 | 1 | null): boolean | null => (bit === null ? null : bit === 1);

const toEvent = (row: OtaEventRow & { id: number }): StoredOtaEvent => ({
  ...row,
  lastCheckSucceeded: toFlag(row.lastCheckSucceeded),
  updateAvailable: toFlag(row.updateAvailable),
  updateApplied: toFlag(row.updateApplied),
});

/**
 * How many events from before `from` a page passes over. Events are written in the order of their times, so a page that
 * meets such events has reached the end, unless the clock was set back.
 */
const mostEarlier = 1_000;

export function createOtaEventStore({ database, read, write }: Connection): OtaEventStore {
  const list = database.prepare<
    [Parameters<OtaEventStore["list"]>[0]],
    OtaEventRow & { id: number }
  >(
    `SELECT * FROM (
       SELECT id, device_id AS deviceId, created_at AS createdAt, source, state,
         offered_version AS offeredVersion, from_version AS fromVersion, last_result AS lastResult,
         last_check_succeeded AS lastCheckSucceeded, update_available AS updateAvailable,
         update_applied AS updateApplied, progress, message
       FROM ota_events WHERE device_id = @deviceId AND id < @before
         AND id > ifnull((SELECT up_to FROM ota_events_erased WHERE device_id = @deviceId), 0)
       ORDER BY id DESC LIMIT @limit + ${mostEarlier}
     ) WHERE createdAt >= @from ORDER BY id DESC LIMIT @limit`,
  );
  const prune = database.prepare<[number, number]>(
    `DELETE FROM ota_events WHERE id IN (SELECT id FROM ota_events ORDER BY id LIMIT ?)
     AND created_at < ?`,
  );
  return {
    list: (input) => read(() => list.all(input).map(toEvent)),
    prune: ({ createdBefore, limit }) => write(() => prune.run(limit, createdBefore).changes),
  };
}

/**
 * Prepares a function that reports the OTA status of a telemetry record if it differs from the
 * previous one. Returns no outcome if it does not differ.
 */
export function prepareOtaRecorder(
  database: Database,
): (deviceId: string, otaReport: OtaReport) => readonly ReportOutcome[] {
  const writeChange = prepareChangeWriter(database);
  const report = prepareReporter(database);
  const replace = database.prepare<[string, string, string]>(
    "UPDATE devices SET ota_fingerprint = ? WHERE device_id = ? AND ota_fingerprint IS NOT ?",
  );
  return (deviceId, { fingerprint, event, rules }) => {
    if (replace.run(fingerprint, deviceId, fingerprint).changes === 0) return [];
    writeChange(deviceId, event.createdAt);
    const updateReport = { event, releaseId: null, servesImage: false, fingerprint: null };
    return [report({ report: updateReport, rules })];
  };
}
