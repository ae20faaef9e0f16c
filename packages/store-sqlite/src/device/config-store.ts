import type { ConfigStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { prepareTransitionWriter } from "./transition-writer.js";

interface Replacement {
  readonly deviceId: string;
  readonly ownerId: string | null;
  readonly values: string;
  readonly expectedRevision: number;
}

/** True if the caller may see the device. */
const visible = "device_id = @deviceId AND (@ownerId IS NULL OR owner_id = @ownerId)";

export function createConfigStore({ database, write }: Connection): ConfigStore {
  const writeTransition = prepareTransitionWriter(database);
  const replace = database
    .prepare<[Replacement], number>(
      `UPDATE devices SET config_overrides = @values, config_revision = config_revision + 1
       WHERE ${visible} AND config_revision = @expectedRevision RETURNING config_revision`,
    )
    .pluck();
  const find = database.prepare<[Pick<Replacement, "deviceId" | "ownerId">]>(
    `SELECT 1 FROM devices WHERE ${visible}`,
  );

  return {
    replaceOverrides: ({ deviceId, ownerId, values, expectedRevision, event }) =>
      write(() => {
        const replacement = { deviceId, ownerId, values: JSON.stringify(values), expectedRevision };
        const revision = replace.get(replacement);
        if (revision === undefined) {
          return { kind: find.get({ deviceId, ownerId }) === undefined ? "unknown" : "conflict" };
        }
        writeTransition(event);
        return { kind: "replaced", revision };
      }),
  };
}
