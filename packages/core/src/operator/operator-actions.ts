import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import type { SecurityEventKind } from "../audit/security-event.js";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { User } from "../user/user.js";

/** An operator's action on one device. */
export interface OperatorAction {
  readonly deviceId: string;
  readonly operator: User;
  readonly origin: RequestOrigin;
}

type NotFound = Failure<"device_not_found">;

const eventOf = (
  { clock }: GatewayContext,
  kind: SecurityEventKind,
  { deviceId, operator, origin }: OperatorAction,
) => makeEvent({ kind, at: clock.now(), deviceId, actor: operator.id, origin });

/**
 * Revokes a device: its tokens, secrets and claim code are rejected (§8). Returns since when, in epoch milliseconds.
 */
export async function revokeDevice(
  context: GatewayContext,
  action: OperatorAction,
): Promise<Result<number, NotFound>> {
  const { store, deviceCache, events } = context;
  const { deviceId } = action;
  const before = await store.devices.find(deviceId);
  const event = eventOf(context, "device.revoked", action);
  const outcome = await deviceCache.change(deviceId, () =>
    store.devices.revoke({ deviceId, now: event.at, event }),
  );
  if (outcome.kind !== "revoked") return err({ code: "device_not_found" });
  if (before?.revokedAt === null && outcome.revokedAt === event.at) events.announce(event);
  return ok(outcome.revokedAt);
}

/** Reinstates a revoked device (§8). Earlier tokens stay invalid. */
export async function reinstateDevice(
  context: GatewayContext,
  action: OperatorAction,
): Promise<Result<void, NotFound>> {
  const { store, deviceCache, events } = context;
  const { deviceId } = action;
  const before = await store.devices.find(deviceId);
  const event = eventOf(context, "device.reinstated", action);
  const outcome = await deviceCache.change(deviceId, () =>
    store.devices.reinstate({ deviceId, event }),
  );
  if (outcome.kind !== "recorded") return err({ code: "device_not_found" });
  if (before !== null && before.revokedAt !== null) events.announce(event);
  return ok(undefined);
}

/** Erases a device with all its data (§8). Its id becomes free, or stays blocked with `block`. */
export async function eraseDevice(
  context: GatewayContext,
  action: OperatorAction & { readonly block: boolean },
): Promise<Result<void, NotFound>> {
  const { store, deviceCache, events } = context;
  const { deviceId, block } = action;
  const event = { ...eventOf(context, "device.erased", action), details: { block } };
  const outcome = await deviceCache.change(deviceId, () =>
    store.devices.erase({ deviceId, block, event }),
  );
  if (outcome.kind !== "recorded") return err({ code: "device_not_found" });
  events.announce(event);
  return ok(undefined);
}
