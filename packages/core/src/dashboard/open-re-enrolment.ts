import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../access/visible-device.js";
import { makeEvent } from "../audit/make-event.js";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { User } from "../user/user.js";

/**
 * Opens a re-enrolment window: an owned device may register again with its claim code, once, until the window
 * ends (§8). Returns the end in epoch milliseconds.
 */
export async function openReEnrolment(
  context: GatewayContext,
  user: User,
  deviceId: string,
  origin: RequestOrigin,
): Promise<Result<number, Failure<"device_not_found">>> {
  const { store, deviceCache, clock, limits } = context;
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  const now = clock.now();
  const until = now + limits.reEnrolmentMinutes * 60_000;
  const event = makeEvent({
    kind: "device.re_enrolment_opened",
    at: now,
    deviceId,
    actor: user.id,
    origin,
  });
  const ownerId = visible.value.isOwner ? user.id : null;
  const outcome = await deviceCache.change(deviceId, () =>
    store.devices.openReEnrolment({ deviceId, ownerId, until, event }),
  );
  return outcome.kind === "recorded" ? ok(until) : err({ code: "device_not_found" });
}
