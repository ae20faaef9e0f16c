import type { GatewayStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { statement } from "../database/statement.js";

interface Kept {
  readonly value: string;
}

const find = statement<object, Kept>("SELECT value FROM device_gateway.key_check");
const keep = statement<Kept, Kept>(
  `INSERT INTO device_gateway.key_check AS kept (id, value) VALUES (1, @value)
   ON CONFLICT (id) DO UPDATE SET value = kept.value RETURNING value`,
);

export function createKeyCheck({ read, change }: Connection): GatewayStore["keepKeyCheck"] {
  return async (value) => {
    // Reads first, so that a gateway also starts while nothing can be written.
    const [found] = await read((session) => find(session, {}));
    const [kept] = found ? [found] : await change((session) => keep(session, { value }));
    return (kept as Kept).value;
  };
}
