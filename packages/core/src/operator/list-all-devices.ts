import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { OperatorDevice } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import { type PageQuery, parseCursor, toPage } from "../shared/page.js";
import { toOperatorDevice } from "./operator-device.js";

/** Lists all devices for an operator, ordered by id (§8). */
export async function listAllDevices(
  { store }: GatewayContext,
  { limit, cursor }: PageQuery,
): Promise<
  Result<{ devices: OperatorDevice[]; nextCursor: string | null }, Failure<"invalid_request">>
> {
  const after = parseCursor(cursor, "");
  if (after.isErr()) return err(after.error);
  const found = await store.devices.list({ ownerId: null, after: after.value, limit: limit + 1 });
  const { page, nextCursor } = toPage(found, limit, ({ deviceId }) => deviceId);
  return ok({ devices: page.map(toOperatorDevice), nextCursor });
}
