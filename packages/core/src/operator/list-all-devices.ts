import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { OperatorDevice } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import { type PageQuery, parseCursor, toPage } from "../shared/page.js";
import { toOperatorDevice } from "./operator-device.js";

export interface DeviceQuery extends PageQuery {
  /** `key:value` of an indexed key of the metadata. Undefined: all devices. */
  readonly metadata?: string | undefined;
}

/** Lists all devices for an operator, or those with a value in their metadata, ordered by id (§8). */
export async function listAllDevices(
  { store, metadata }: GatewayContext,
  { limit, cursor, metadata: filter }: DeviceQuery,
): Promise<
  Result<{ devices: OperatorDevice[]; nextCursor: string | null }, Failure<"invalid_request">>
> {
  const after = parseCursor(cursor, "");
  if (after.isErr()) return err(after.error);
  const wanted = filter === undefined ? ok(null) : metadata.parseFilter(filter);
  if (wanted.isErr()) return err({ code: "invalid_request", errors: wanted.error });
  const range = { after: after.value, limit: limit + 1 };
  const found = await (wanted.value === null
    ? store.devices.list({ ownerId: null, ...range })
    : store.metadata.listDevices({ ...wanted.value, ...range }));
  const { page, nextCursor } = toPage(found, limit, ({ deviceId }) => deviceId);
  return ok({ devices: page.map(toOperatorDevice), nextCursor });
}
