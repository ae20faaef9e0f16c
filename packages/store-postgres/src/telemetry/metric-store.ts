import {
  canonicalJson,
  type MetricDescriptions,
  type MetricStore,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeEvents,
} from "../device/transition-writer.js";

interface Replacement extends EventParameters {
  readonly targetHardware: string;
  readonly expected: string | null;
  readonly next: string | null;
}

const select = statement<{ targetHardware: string }, { content: string }>(
  `SELECT content FROM device_gateway.metric_descriptions WHERE target_hardware = @targetHardware`,
);
/** Inserts, changes or deletes the row if it is the expected one. Returns a row if it was. */
const replace = statement<Replacement, object>(
  `WITH ${mark},
   inserted AS (
     INSERT INTO device_gateway.metric_descriptions (target_hardware, content)
     SELECT @targetHardware, @next::text WHERE @expected::text IS NULL AND @next::text IS NOT NULL
     ON CONFLICT (target_hardware) DO NOTHING RETURNING target_hardware
   ), changed AS (
     UPDATE device_gateway.metric_descriptions SET content = @next
     WHERE target_hardware = @targetHardware AND content = @expected AND @next::text IS NOT NULL
     RETURNING target_hardware
   ), deleted AS (
     DELETE FROM device_gateway.metric_descriptions
     WHERE target_hardware = @targetHardware AND content = @expected AND @next::text IS NULL
     RETURNING target_hardware
   ), done AS (
     SELECT ''::text AS device_id
     FROM (TABLE inserted UNION ALL TABLE changed UNION ALL TABLE deleted) AS touched
   ), logged AS (${writeEvents("done")})
   SELECT FROM done`,
);

const toText = (descriptions: MetricDescriptions | null) =>
  descriptions && canonicalJson(descriptions);

export function createMetricStore({ read, transition }: Connection): MetricStore {
  return {
    find: (targetHardware) =>
      read(async (session) => {
        const [row] = await select(session, { targetHardware });
        return row === undefined ? null : (JSON.parse(row.content) as MetricDescriptions);
      }),

    replace: ({ targetHardware, expected, next, event }) =>
      transition(event, "replaced", async (session) => {
        const done = await replace(session, {
          targetHardware,
          expected: toText(expected),
          next: toText(next),
          ...toEventParameters(event),
        });
        return { kind: done.length > 0 ? "replaced" : "conflict" };
      }),
  };
}
