import type { ConfigStore } from "@device-gateway/core/store";
import type { Connection } from "./connection.js";
import { prepareEventWriter } from "./security-event-store.js";

export function createConfigStore({ database, write }: Connection): ConfigStore {
  const writeEvent = prepareEventWriter(database);
  const replace = database
    .prepare<[string, string, number], number>(
      `UPDATE devices SET config_overrides = ?, config_revision = config_revision + 1
       WHERE device_id = ? AND config_revision = ? RETURNING config_revision`,
    )
    .pluck();
  const exists = database.prepare<[string]>("SELECT 1 FROM devices WHERE device_id = ?");

  return {
    replaceOverrides: ({ deviceId, values, expectedRevision, event }) =>
      write(() => {
        const revision = replace.get(JSON.stringify(values), deviceId, expectedRevision);
        if (revision === undefined) {
          return { kind: exists.get(deviceId) === undefined ? "unknown" : "conflict" };
        }
        writeEvent(event);
        return { kind: "replaced", revision };
      }),
  };
}
