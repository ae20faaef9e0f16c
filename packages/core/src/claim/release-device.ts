import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import type { GatewayContext } from "../context.js";
import { runHook } from "../hooks/run-hook.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { User } from "../user/user.js";

/**
 * Removes the owner of a device (§8). Its tokens become invalid, its name and configuration are cleared, and later
 * owners do not see what it sent so far (§7).
 */
export async function releaseDevice(
  { store, deviceCache, events, clock, policies }: GatewayContext,
  customer: User,
  deviceId: string,
  origin: RequestOrigin,
): Promise<Result<void, Failure<"device_not_found" | "refused">>> {
  if (policies.before.release !== undefined) {
    const device = await store.devices.find(deviceId);
    // A hook would reveal a device to somebody who does not own it. A user who becomes the owner now must not skip it.
    if (device?.ownership?.ownerId !== customer.id) return err({ code: "device_not_found" });
    const allowed = await runHook(policies.before, "release", "refused", {
      deviceId,
      customerId: customer.id,
      origin,
    });
    if (allowed.isErr()) return err(allowed.error);
  }
  const event = makeEvent({
    kind: "device.released",
    at: clock.now(),
    deviceId,
    actor: customer.id,
    origin,
  });
  const release = {
    deviceId,
    ownerId: customer.id,
    spendCode: policies.freshCodeAfterRelease,
    event,
  };
  const outcome = await deviceCache.change(deviceId, () => store.claims.release(release));
  if (outcome.kind !== "released") return err({ code: "device_not_found" });
  events.announce(event);
  return ok(undefined);
}
