import { updateColumnNames } from "@device-gateway/core/store";

const entries = Object.entries(updateColumnNames);

/** The column list of a SELECT from `device_updates u` that returns `UpdateRow`s. */
export const updateColumns: string = entries
  .map(([name, column]) => `u.${column} AS "${name}"`)
  .join(", ");

/** Inserts or replaces an `UpdateRow`. */
export const putUpdate: string = `
  INSERT INTO device_gateway.device_updates (${Object.values(updateColumnNames).join(", ")})
  VALUES (${Object.keys(updateColumnNames)
    .map((name) => `@${name}`)
    .join(", ")})
  ON CONFLICT (device_id, release_id) DO UPDATE SET
    ${entries
      .filter(([name]) => name !== "deviceId" && name !== "releaseId")
      .map(([, column]) => `${column} = excluded.${column}`)
      .join(", ")}`;
