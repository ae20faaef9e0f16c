import type {
  OtaEventStore,
  OtaReport,
  ReportOutcome,
  StoredOtaEvent,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { countOf, type Session, statement } from "../database/statement.js";
import { erasedEventsUpTo } from "../device/erased-marks.js";
import { mark, writeChanges } from "../device/transition-writer.js";
import { reportUpdate } from "./update-reporter.js";

/**
 * How many events from before `from` a page passes over. Events are written in the order of their times, so a page that
 * meets such events has reached the end, unless the clock was set back.
 */
const mostEarlier = 1_000;

const list = statement<
  { deviceId: string; from: number; before: number; limit: number },
  StoredOtaEvent
>(
  `SELECT * FROM (
     SELECT id, device_id AS "deviceId", created_at AS "createdAt", source, state,
       offered_version AS "offeredVersion", from_version AS "fromVersion",
       last_result AS "lastResult", last_check_succeeded AS "lastCheckSucceeded",
       update_available AS "updateAvailable", update_applied AS "updateApplied",
       progress, message
     FROM device_gateway.ota_events
     WHERE device_id = @deviceId AND id < @before AND id > ${erasedEventsUpTo("@deviceId")}
     ORDER BY id DESC LIMIT @limit::bigint + ${mostEarlier}
   ) AS newest
   WHERE "createdAt" >= @from ORDER BY id DESC LIMIT @limit::bigint`,
);
const prune = statement<{ createdBefore: number; limit: number }, { count: number }>(
  `WITH oldest AS MATERIALIZED (
     SELECT id FROM device_gateway.ota_events ORDER BY id LIMIT @limit
   ), gone AS (
     DELETE FROM device_gateway.ota_events
     WHERE id IN (SELECT id FROM oldest) AND created_at < @createdBefore RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);

export function createOtaEventStore({ read, change }: Connection): OtaEventStore {
  return {
    list: (input) => read((session) => list(session, input)),
    prune: (input) => change(async (session) => countOf(await prune(session, input))),
  };
}

const replace = statement<{ deviceId: string; fingerprint: string; at: number }, object>(
  `WITH ${mark},
   changed AS (
     UPDATE device_gateway.device_activity SET ota_fingerprint = @fingerprint
     WHERE device_id = @deviceId AND ota_fingerprint IS DISTINCT FROM @fingerprint
     RETURNING device_id
   ), fed AS (${writeChanges("changed", "@at::bigint")})
   SELECT FROM changed`,
);

/**
 * Reports the OTA status of a telemetry record if it differs from the previous one; returns no
 * outcome if it does not differ. The device's activity row must be locked.
 */
export async function recordOtaReport(
  session: Session,
  otaReport: OtaReport,
): Promise<readonly ReportOutcome[]> {
  const { fingerprint, event, rules } = otaReport;
  const { deviceId, createdAt: at } = event;
  if ((await replace(session, { deviceId, fingerprint, at })).length === 0) return [];
  const report = { event, releaseId: null, servesImage: false, fingerprint: null };
  return [await reportUpdate(session, { report, rules })];
}
