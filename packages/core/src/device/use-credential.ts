import { makeEvent } from "../audit/make-event.js";
import type { GatewayContext } from "../context.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { Device } from "./device.js";

/**
 * Records that a device used the credential of an epoch, which makes a pending one current. Returns the changed
 * device, or null if the device no longer has that credential.
 */
export async function useCredential(
  { store, deviceCache, clock }: GatewayContext,
  device: Device,
  epoch: number,
  origin: RequestOrigin,
): Promise<Device | null> {
  const { deviceId, credential, firstUsedAt } = device;
  if (credential.epoch === epoch && firstUsedAt !== null) return device;
  const now = clock.now();
  const event = makeEvent({
    kind: "device.credential_promoted",
    at: now,
    deviceId,
    actor: "device",
    origin,
  });
  const outcome = await deviceCache.change(deviceId, () =>
    store.devices.recordUse({ deviceId, epoch, now, event }),
  );
  return outcome.kind === "recorded" ? store.devices.find(deviceId) : null;
}
