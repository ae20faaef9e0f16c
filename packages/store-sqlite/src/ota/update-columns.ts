import { updateColumnNames } from "@device-gateway/core/store";

const entries = Object.entries(updateColumnNames);

/** The column list of a SELECT from `device_updates u` that returns `UpdateRow`s. */
export const updateColumns: string = entries
  .map(([name, column]) => `u.${column} AS ${name}`)
  .join(", ");

/**
 * Inserts or replaces an `UpdateRow`. It is an upsert so that the triggers see a change as an UPDATE.
 */
export const putUpdate: string = `
  INSERT INTO device_updates (${Object.values(updateColumnNames).join(", ")})
  VALUES (${Object.keys(updateColumnNames)
    .map((name) => `@${name}`)
    .join(", ")})
  ON CONFLICT (device_id, release_id) DO UPDATE SET
    ${entries
      .filter(([name]) => name !== "deviceId" && name !== "releaseId")
      .map(([name, column]) => `${column} = @${name}`)
      .join(", ")}`;
