import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../../audit/make-event.js";
import type { GatewayContext } from "../../context.js";
import type { OtaTargetRequest } from "../../contract/index.js";
import type { OperatorAction } from "../../operator/operator-actions.js";
import type { Failure } from "../../shared/failure.js";
import { canonicalVersion } from "../../shared/firmware-version.js";

export interface OtaTarget {
  readonly otaChannel: string;
  readonly pinnedVersion: string | null;
  readonly benchMode: boolean;
}

/** Sets a device's channel, pinned version or bench mode for an operator (§8). */
export async function setOtaTarget(
  { store, deviceCache, clock }: GatewayContext,
  { deviceId, operator, origin }: OperatorAction,
  { otaChannel: channel, pinnedVersion: pin, benchMode }: OtaTargetRequest,
): Promise<Result<OtaTarget, Failure<"device_not_found">>> {
  const change = {
    ...(channel !== undefined && { channel }),
    ...(pin !== undefined && { pinnedVersion: pin === null ? null : canonicalVersion(pin) }),
    ...(benchMode !== undefined && { benchMode }),
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
    store.updates.setOtaTarget({ deviceId, ...change, event }),
  );
  const device = outcome.kind === "recorded" ? await store.devices.find(deviceId) : null;
  if (device === null) return err({ code: "device_not_found" });
  const { ota } = device;
  return ok({
    otaChannel: ota.channel,
    pinnedVersion: ota.pinnedVersion,
    benchMode: ota.benchMode,
  });
}
