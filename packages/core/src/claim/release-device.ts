import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import type { GatewayContext, RequestOrigin } from "../context.js";
import type { Failure } from "../shared/failure.js";
import type { User } from "../user/user.js";

/**
 * Takes a device from its owner (contract §8): its tokens die, its name and configuration are
 * cleared, and what it sent so far is nobody's to see any more.
 */
export async function releaseDevice(
  { store, deviceCache, events, clock, policies }: GatewayContext,
  customer: User,
  deviceId: string,
  origin: RequestOrigin,
): Promise<Result<void, Failure<"device_not_found">>> {
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
