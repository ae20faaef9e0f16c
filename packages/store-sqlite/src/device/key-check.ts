import type { GatewayStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";

export function createKeyCheck({
  database,
  read,
  write,
}: Connection): GatewayStore["keepKeyCheck"] {
  const find = database.prepare<[], string>("SELECT value FROM key_check").pluck();
  const keep = database
    .prepare<[string], string>(
      `INSERT INTO key_check (id, value) VALUES (1, ?)
       ON CONFLICT (id) DO UPDATE SET value = value RETURNING value`,
    )
    .pluck();
  // Reads first, so that a gateway also starts while nothing can be written.
  return async (value) => (await read(() => find.get())) ?? write(() => keep.get(value) as string);
}
