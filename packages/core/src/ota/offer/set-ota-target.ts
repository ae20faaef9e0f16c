import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../../audit/make-event.js";
import type { GatewayContext } from "../../context.js";
import type { SteerRequest } from "../../contract/index.js";
import type { OperatorAction } from "../../operator/operator-actions.js";
import type { Failure } from "../../shared/failure.js";
import { canonicalVersion } from "../../shared/firmware-version.js";

export interface OtaTarget {
  readonly otaChannel: string;
  readonly pinnedVersion: string | null;
}

/** Sets a device's channel or pinned version for an operator (§8). */
export async function setOtaTarget(
  { store, deviceCache, clock }: GatewayContext,
  { deviceId, operator, origin }: OperatorAction,
  { otaChannel: channel, pinnedVersion: pin }: SteerRequest,
): Promise<Result<OtaTarget, Failure<"device_not_found">>> {
  const change = {
    ...(channel !== undefined && { channel }),
    ...(pin !== undefined && { pinnedVersion: pin === null ? null : canonicalVersion(pin) }),
  };
  const event = makeEvent({
    kind: "device.steered",
    at: clock.now(),
    deviceId,
    actor: operator.id,
    origin,
    details: change,
  });
  const outcome = await deviceCache.change(deviceId, () =>
    store.updates.steer({ deviceId, ...change, event }),
  );
  const device = outcome.kind === "recorded" ? await store.devices.find(deviceId) : null;
  if (device === null) return err({ code: "device_not_found" });
  return ok({ otaChannel: device.ota.channel, pinnedVersion: device.ota.pinnedVersion });
}
