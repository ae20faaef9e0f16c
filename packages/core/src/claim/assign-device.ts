import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
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
  const before = await store.devices.find(deviceId);
  if (before?.ownership === null && before.revokedAt === null) {
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
    store.claims.assign({ deviceId, ownerId: customerId, now, event }),
  );
  switch (outcome.kind) {
    case "claimed": {
      events.announce(event);
      return ok({ deviceId, status: "assigned", claimedAt: toTimestamp(outcome.claimedAt) });
    }
    case "already_owned":
      return ok({ deviceId, status: "already_owned", claimedAt: toTimestamp(outcome.claimedAt) });
    case "taken":
      return err({ code: "already_claimed" });
    case "revoked":
      return err({ code: "device_revoked" });
    case "unknown":
      return err({ code: "device_not_found" });
  }
}
