import type { GatewayStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { type Session, statement } from "../database/statement.js";

interface Kept {
  readonly value: string;
}

const find = statement<object, Kept>("SELECT value FROM device_gateway.key_check");
const keep = statement<Kept, Kept>(
  `INSERT INTO device_gateway.key_check AS kept (id, value) VALUES (1, @value)
   ON CONFLICT (id) DO UPDATE SET value = kept.value RETURNING value`,
);

/** Returns the stored value, or null. */
export async function readKeyCheck(session: Session): Promise<string | null> {
  const [found] = await find(session, {});
  return found?.value ?? null;
}

export function createKeyCheck({ read, change }: Connection): GatewayStore["keepKeyCheck"] {
  return async (value) => {
    // Reads first, so that a gateway also starts while nothing can be written.
    const found = await read(readKeyCheck);
    if (found !== null) return found;
    const [kept] = await change((session) => keep(session, { value }));
    return (kept as Kept).value;
  };
}
