import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { retryWhileChanged } from "../change/retry-while-changed.js";
import type { GatewayContext } from "../context.js";
import { runHook } from "../hooks/run-hook.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { User } from "../user/user.js";

export interface Assignment {
  readonly deviceId: string;
  readonly customerId: string;
  readonly operator: User;
  readonly origin: RequestOrigin;
}

export interface Assigned {
  readonly deviceId: string;
  readonly status: "assigned" | "already_owned";
  readonly claimedAt: string;
}

type AssignFailure = Failure<"device_not_found" | "device_revoked" | "already_claimed" | "refused">;

/** Makes a customer the owner of a device without its code. The device must have no owner and must not be revoked. */
export async function assignDevice(
  { store, deviceCache, events, clock, policies }: GatewayContext,
  { deviceId, customerId, operator, origin }: Assignment,
): Promise<Result<Assigned, AssignFailure>> {
  return retryWhileChanged<Result<Assigned, AssignFailure>>(deviceId, async () => {
    const device = await store.devices.find(deviceId);
    if (device === null) return err({ code: "device_not_found" });
    if (device.revokedAt !== null) return err({ code: "device_revoked" });
    const hadOwner = device.ownership !== null;
    if (!hadOwner) {
      const claim = { deviceId, customerId, assignedBy: operator.id, origin };
      const allowed = await runHook(policies.before, "claim", "refused", claim);
      if (allowed.isErr()) return err(allowed.error);
    }
    const now = clock.now();
    const event = makeEvent({
      kind: "device.assigned",
      at: now,
      deviceId,
      actor: operator.id,
      origin,
      details: { customerId },
    });
    const outcome = await deviceCache.change(deviceId, () =>
      store.claims.assign({ deviceId, ownerId: customerId, hadOwner, now, event }),
    );
    switch (outcome.kind) {
      case "claimed":
      case "already_owned": {
        if (outcome.kind === "claimed") events.announce(event);
        const status = outcome.kind === "claimed" ? "assigned" : "already_owned";
        return ok({ deviceId, status, claimedAt: toTimestamp(outcome.claimedAt) });
      }
      case "taken":
        return err({ code: "already_claimed" });
      case "revoked":
        return err({ code: "device_revoked" });
      case "unknown":
        return err({ code: "device_not_found" });
      case "changed":
        return "changed";
    }
  });
}
