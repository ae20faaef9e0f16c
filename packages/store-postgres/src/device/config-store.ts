import type { ConfigStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeTransitions,
} from "./transition-writer.js";

interface Replacement extends EventParameters {
  readonly deviceId: string;
  readonly ownerId: string | null;
  readonly values: string;
  readonly expectedRevision: number;
}

/**
 * Locks the device if the caller may see it, and replaces the configuration if the revision is the
 * expected one.
 */
const replace = statement<Replacement, { revision: number | null }>(
  `WITH ${mark},
   seen AS (
     SELECT device_id, config_revision FROM device_gateway.devices
     WHERE device_id = @deviceId AND (@ownerId::text IS NULL OR owner_id = @ownerId)
     FOR UPDATE
   ), replaced AS (
     UPDATE device_gateway.devices AS d
     SET config_overrides = @values, config_revision = d.config_revision + 1
     FROM seen WHERE d.device_id = seen.device_id AND seen.config_revision = @expectedRevision
     RETURNING d.device_id, d.config_revision
   ), ${writeTransitions("replaced")}
   SELECT replaced.config_revision AS revision FROM seen LEFT JOIN replaced USING (device_id)`,
);

export function createConfigStore({ change }: Connection): ConfigStore {
  return {
    replaceOverrides: ({ values, event, ...input }) =>
      change(async (session) => {
        const [device] = await replace(session, {
          ...input,
          values: JSON.stringify(values),
          ...toEventParameters(event),
        });
        if (device === undefined) return { kind: "unknown" };
        if (device.revision === null) return { kind: "conflict" };
        return { kind: "replaced", revision: device.revision };
      }),
  };
}
