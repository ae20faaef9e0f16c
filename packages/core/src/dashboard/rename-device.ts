import { err, ok, type Result } from "neverthrow";
import { findOwnedDevice } from "../access/find-owned-device.js";
import { makeEvent } from "../audit/make-event.js";
import type { GatewayContext } from "../context.js";
import type { DeviceSummary } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { User } from "../user/user.js";
import { describeDevice } from "./read-device.js";

/** Sets the name that the owner chose for a device (§8). */
export async function renameDevice(
  context: GatewayContext,
  user: User,
  { deviceId, name }: { readonly deviceId: string; readonly name: string },
  origin: RequestOrigin,
): Promise<Result<DeviceSummary, Failure<"device_not_found" | "not_owner">>> {
  const { store, deviceCache, clock } = context;
  const owned = await findOwnedDevice(context, user, deviceId);
  if (owned.isErr()) return err(owned.error);
  const event = makeEvent({
    kind: "device.renamed",
    at: clock.now(),
    deviceId,
    actor: user.id,
    origin,
  });
  const outcome = await deviceCache.change(deviceId, () =>
    store.devices.rename({ deviceId, ownerId: user.id, name, event }),
  );
  if (outcome.kind === "unknown") return err({ code: "device_not_found" });
  context.events.announce(event);
  const { device, ...rest } = owned.value;
  return ok(await describeDevice(context, { ...rest, device: { ...device, name } }));
}
