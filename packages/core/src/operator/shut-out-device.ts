import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import type { SecurityEventKind } from "../audit/security-event.js";
import type { GatewayContext, RequestOrigin } from "../context.js";
import type { Failure } from "../failure.js";
import type { User } from "../user/user.js";

/** What an operator does to one device, and from where. */
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

/** Shuts a device out: no token, secret or code of its is taken. Gives back since when. */
export async function revokeDevice(
  context: GatewayContext,
  action: OperatorAction,
): Promise<Result<number, NotFound>> {
  const { store, deviceCache, clock } = context;
  const { deviceId } = action;
  const event = eventOf(context, "device.revoked", action);
  const outcome = await deviceCache.change(deviceId, () =>
    store.devices.revoke({ deviceId, now: clock.now(), event }),
  );
  return outcome.kind === "revoked" ? ok(outcome.revokedAt) : err({ code: "device_not_found" });
}

/** Lets a revoked device in again; tokens of before stay dead. */
export async function reinstateDevice(
  context: GatewayContext,
  action: OperatorAction,
): Promise<Result<void, NotFound>> {
  const { store, deviceCache } = context;
  const { deviceId } = action;
  const event = eventOf(context, "device.reinstated", action);
  const outcome = await deviceCache.change(deviceId, () =>
    store.devices.reinstate({ deviceId, event }),
  );
  return outcome.kind === "recorded" ? ok(undefined) : err({ code: "device_not_found" });
}

/** Erases a device with all that it sent; its id is freed, or blocked for good. */
export async function eraseDevice(
  context: GatewayContext,
  action: OperatorAction & { readonly block: boolean },
): Promise<Result<void, NotFound>> {
  const { store, deviceCache } = context;
  const { deviceId, block } = action;
  const event = { ...eventOf(context, "device.erased", action), details: { block } };
  const outcome = await deviceCache.change(deviceId, () =>
    store.devices.erase({ deviceId, block, event }),
  );
  return outcome.kind === "recorded" ? ok(undefined) : err({ code: "device_not_found" });
}
