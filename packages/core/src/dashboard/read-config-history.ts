import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../access/visible-device.js";
import type { StoredSecurityEvent } from "../audit/security-event-store.js";
import type { GatewayContext } from "../context.js";
import type { ConfigHistoryEntry } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import { type PageQuery, parseIdCursor, toPage } from "../shared/page.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { User } from "../user/user.js";

function toChange({ id, at, details }: StoredSecurityEvent): ConfigHistoryEntry {
  const { settings } = details;
  const names = Array.isArray(settings) ? settings.map(String) : [];
  return { id, changedAt: toTimestamp(at), settings: names };
}

/** Lists the changes of a device's own settings that the user may see, newest first (§8). */
export async function readConfigHistory(
  context: GatewayContext,
  user: User,
  deviceId: string,
  { limit, cursor }: PageQuery,
): Promise<
  Result<
    { changes: ConfigHistoryEntry[]; nextCursor: string | null },
    Failure<"device_not_found" | "invalid_request">
  >
> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  const before = parseIdCursor(cursor, Number.MAX_SAFE_INTEGER);
  if (before.isErr()) return err(before.error);
  const filter = { deviceId, kinds: ["device.configured"] } as const;
  const query = { ...filter, before: before.value, limit: limit + 1 };
  const found = await context.store.securityEvents.newest(query);
  const { from, device } = visible.value;
  // The log keeps the events of an erased device, and another one may have its id.
  const theirs = found.filter(({ at }) => at >= from && at >= device.registeredAt);
  const { page, nextCursor } = toPage(theirs, limit, ({ id }) => String(id));
  return ok({ changes: page.map(toChange), nextCursor });
}
