import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../../access/visible-device.js";
import type { GatewayContext } from "../../context.js";
import type { OtaHistoryEvent } from "../../contract/index.js";
import type { Failure } from "../../shared/failure.js";
import { type PageQuery, parseIdCursor, toPage } from "../../shared/page.js";
import { toTimestamp } from "../../shared/timestamp.js";
import type { User } from "../../user/user.js";
import type { StoredOtaEvent } from "./ota-event-store.js";

const toHistoryEvent = ({ deviceId: _, ...event }: StoredOtaEvent): OtaHistoryEvent => ({
  ...event,
  createdAt: toTimestamp(event.createdAt),
  // Field apps display it unchanged.
  lastResult: event.lastResult || event.state,
});

/** Lists the events of a device's updates that the user may see, newest first (§7). */
export async function readOtaHistory(
  context: GatewayContext,
  user: User,
  deviceId: string,
  { limit, cursor }: PageQuery,
): Promise<
  Result<
    { events: OtaHistoryEvent[]; nextCursor: string | null },
    Failure<"device_not_found" | "invalid_request">
  >
> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  const before = parseIdCursor(cursor, Number.MAX_SAFE_INTEGER);
  if (before.isErr()) return err(before.error);
  const { from } = visible.value;
  const query = { deviceId, from, before: before.value, limit: limit + 1 };
  const found = await context.store.otaEvents.list(query);
  const { page, nextCursor } = toPage(found, limit, ({ id }) => String(id));
  return ok({ events: page.map(toHistoryEvent), nextCursor });
}
