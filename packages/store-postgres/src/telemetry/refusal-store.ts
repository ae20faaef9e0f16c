import type { RefusalStore, TelemetryRefusal } from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";

interface Addition {
  readonly deviceId: string;
  readonly now: number;
  readonly since: number;
  readonly codes: readonly string[];
  readonly messages: readonly string[];
  readonly counts: readonly number[];
}

/**
 * Locks the device, so that it is not erased meanwhile. The codes are sorted, because two calls that lock the same rows
 * in different orders would be a deadlock.
 */
const add = statement<Addition, object>(
  `INSERT INTO device_gateway.telemetry_refusals AS r
     (device_id, code, message, count, first_at, last_at)
   SELECT device.device_id, code, message, count, @now::bigint, @now::bigint
   FROM device_gateway.devices AS device,
     unnest(@codes::text[], @messages::text[], @counts::bigint[]) AS entry (code, message, count)
   WHERE device.device_id = @deviceId
   ORDER BY code FOR KEY SHARE OF device
   ON CONFLICT (device_id, code) DO UPDATE SET
     message = excluded.message,
     count = CASE WHEN r.first_at < @since::bigint THEN 0 ELSE r.count END + excluded.count,
     last_at = CASE WHEN r.first_at < @since::bigint THEN excluded.last_at
       ELSE greatest(r.last_at, excluded.last_at) END,
     first_at = CASE WHEN r.first_at < @since::bigint THEN excluded.first_at ELSE r.first_at END`,
);
const list = statement<{ deviceId: string; from: number }, TelemetryRefusal>(
  `SELECT code, message, count, first_at AS "firstAt", last_at AS "lastAt"
   FROM device_gateway.telemetry_refusals
   WHERE device_id = @deviceId AND first_at >= @from ORDER BY last_at DESC, code`,
);
const latest = statement<
  { deviceIds: readonly string[]; froms: readonly number[] },
  { lastAt: number | null }
>(
  `SELECT (
     SELECT max(last_at) FROM device_gateway.telemetry_refusals AS r
     WHERE r.device_id = wanted.device_id AND r.first_at >= wanted.since
   ) AS "lastAt"
   FROM unnest(@deviceIds::text[], @froms::bigint[]) WITH ORDINALITY
     AS wanted (device_id, since, place)
   ORDER BY place`,
);

export function createRefusalStore({ read, change }: Connection): RefusalStore {
  return {
    add: ({ refusals, ...entry }) =>
      change(async (session) => {
        await add(session, {
          ...entry,
          codes: refusals.map(({ code }) => code),
          messages: refusals.map(({ message }) => message),
          counts: refusals.map(({ count }) => count),
        });
      }),

    list: (query) => read(async (session) => [...(await list(session, query))]),

    latest: (devices) =>
      read(async (session) => {
        const rows = await latest(session, {
          deviceIds: devices.map(({ deviceId }) => deviceId),
          froms: devices.map(({ from }) => from),
        });
        return rows.map(({ lastAt }) => lastAt);
      }),
  };
}
