import { err, ok, type Result } from "neverthrow";
import { visibleTo } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { DeviceSummary } from "../contract/index.js";
import { findLatestRefusals } from "../refusal/read-refusals.js";
import type { Failure } from "../shared/failure.js";
import { type PageQuery, parseCursor, toPage } from "../shared/page.js";
import { isOperator, type User } from "../user/user.js";
import { summariseDevice } from "./summarise-device.js";

export interface DevicePage {
  readonly devices: DeviceSummary[];
  readonly nextCursor: string | null;
}

/** Lists the devices that a user may see, ordered by id (§7). */
export async function listDevices(
  context: GatewayContext,
  user: User,
  { limit, cursor }: PageQuery,
): Promise<Result<DevicePage, Failure<"invalid_request">>> {
  const { store, policies, releaseCatalog } = context;
  const after = parseCursor(cursor, "");
  if (after.isErr()) return err(after.error);
  const ownerId = isOperator(user) ? null : user.id;
  const found = await store.devices.list({ ownerId, after: after.value, limit: limit + 1 });
  const { page, nextCursor } = toPage(found, limit, ({ deviceId }) => deviceId);

  const visible = page.flatMap((device) => visibleTo(user, device) ?? []);
  const ranges = visible.map(({ device, from }) => ({ deviceId: device.deviceId, from }));
  const latest = policies.summaryMetrics.length > 0 ? await store.telemetry.latest(ranges) : [];
  const refused = await findLatestRefusals(context, visible);
  const releases = await releaseCatalog.list();
  const devices = visible.map((entry, i) => {
    const facts = { latest: latest[i] ?? null, refusedAt: refused[i] ?? null, releases };
    return summariseDevice(context, entry, facts);
  });
  return ok({ devices, nextCursor });
}
