import type { NewRefusal, RefusalStore, TelemetryRefusal } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";

interface Addition extends NewRefusal {
  readonly deviceId: string;
  readonly now: number;
  readonly since: number;
}

export function createRefusalStore({ database, read, write }: Connection): RefusalStore {
  const add = database.prepare<[Addition]>(
    `INSERT INTO telemetry_refusals (device_id, code, message, count, first_at, last_at)
     SELECT device_id, @code, @message, @count, @now, @now FROM devices WHERE device_id = @deviceId
     ON CONFLICT (device_id, code) DO UPDATE SET
       message = @message,
       count = CASE WHEN first_at < @since THEN 0 ELSE count END + @count,
       last_at = CASE WHEN first_at < @since THEN @now ELSE max(last_at, @now) END,
       first_at = CASE WHEN first_at < @since THEN @now ELSE first_at END`,
  );
  const list = database.prepare<[string, number], TelemetryRefusal>(
    `SELECT code, message, count, first_at AS firstAt, last_at AS lastAt FROM telemetry_refusals
     WHERE device_id = ? AND first_at >= ? ORDER BY last_at DESC, code`,
  );
  const latest = database
    .prepare<[string, number], number | null>(
      "SELECT max(last_at) FROM telemetry_refusals WHERE device_id = ? AND first_at >= ?",
    )
    .pluck();
  return {
    add: ({ refusals, ...entry }) =>
      write(() => {
        for (const refusal of refusals) add.run({ ...entry, ...refusal });
      }),

    list: ({ deviceId, from }) => read(() => list.all(deviceId, from)),

    latest: (devices) =>
      read(() => devices.map(({ deviceId, from }) => latest.get(deviceId, from) ?? null)),
  };
}
