import type { Result } from "neverthrow";
import { findVisibleDevice, type VisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { RefusalEntry } from "../contract/index.js";
import { dayMs } from "../shared/durations.js";
import type { Failure } from "../shared/failure.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { User } from "../user/user.js";

/** Returns what the gateway refused of a device, as far as the user may see it (§7). The latest comes first. */
export async function readRefusals(
  context: GatewayContext,
  user: User,
  deviceId: string,
): Promise<Result<RefusalEntry[], Failure<"device_not_found">>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return visible.map(() => []);
  const found = await context.store.refusals.list({ deviceId, from: visible.value.from });
  return visible.map(() =>
    found.map(({ firstAt, lastAt, ...refusal }) => ({
      ...refusal,
      firstAt: toTimestamp(firstAt),
      lastAt: toTimestamp(lastAt),
    })),
  );
}

/**
 * Returns when the gateway last refused something of each device, in epoch milliseconds, or null if that was more than
 * 24 hours ago.
 */
export async function findLatestRefusals(
  { store, clock }: GatewayContext,
  visible: readonly VisibleDevice[],
): Promise<readonly (number | null)[]> {
  if (visible.length === 0) return [];
  const found = await store.refusals.latest(
    visible.map(({ device, from }) => ({ deviceId: device.deviceId, from })),
  );
  const oldest = clock.now() - dayMs;
  return found.map((at) => (at !== null && at >= oldest ? at : null));
}
