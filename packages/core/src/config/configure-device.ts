import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { patchInTurn } from "../change/patch-in-turn.js";
import type { GatewayContext } from "../context.js";
import type { FieldError } from "../contract/index.js";
import type { Device } from "../device/device.js";
import { toUtf8 } from "../shared/bytes.js";
import type { JsonObject } from "../shared/json.js";
import { nextTurn } from "../shared/next-turn.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { depthErrors, mergePatch } from "./merge-patch.js";

/** The largest device layer, in bytes of JSON in UTF-8. A schema may ignore keys in it, so the schema does not limit it. */
const maxLayerBytes = 16_384;

export interface ConfigChange {
  readonly deviceId: string;
  /** A merge patch (RFC 7396) for the device layer. Null resets a setting to its default. */
  readonly patch: JsonObject;
  /** The user who makes the change, for the audit trail. */
  readonly actor: string;
  /** The user who must own the device. Null: no owner is required. */
  readonly ownerId: string | null;
  /** Whether to change a configuration of this version. Called again if another caller changed it meanwhile. */
  readonly accepts: (configVersion: string) => boolean;
  /** Throws if nobody waits for the change any more. */
  readonly checkDeadline: () => void;
  readonly origin: RequestOrigin;
}

export type ConfigFailure =
  | { readonly code: "unknown_device" | "version_changed" }
  | { readonly code: "invalid_config"; readonly errors: readonly FieldError[] };

function sizeErrors(values: JsonObject): readonly FieldError[] {
  const bytes = toUtf8(JSON.stringify(values)).length;
  const message = `The device's own settings would have ${bytes} bytes of JSON. Keep them to ${maxLayerBytes}.`;
  return bytes > maxLayerBytes ? [{ path: "", code: "too_big", message }] : [];
}

/**
 * Changes the device layer of a device's configuration and returns the changed device. Concurrent patches are
 * all applied, one after the other.
 */
export async function configureDevice(
  context: GatewayContext,
  change: ConfigChange,
): Promise<Result<Device, ConfigFailure>> {
  const errors = depthErrors(change.patch);
  if (errors.length > 0) return err({ code: "invalid_config", errors });
  const target = `config of ${change.deviceId}`;
  return patchInTurn(context, target, change.checkDeadline, () => configureOnce(context, change));
}

/** Returns `changed` if another process changed the configuration meanwhile. */
async function configureOnce(
  { store, deviceCache, configLayers, events, clock }: GatewayContext,
  { deviceId, patch, actor, ownerId, accepts, origin }: ConfigChange,
): Promise<Result<Device, ConfigFailure> | "changed"> {
  const device = await store.devices.find(deviceId);
  if (device === null) return err({ code: "unknown_device" });
  // A store may answer for many devices in the same turn of the event loop, and a large patch takes a millisecond for each.
  await nextTurn();
  if (!accepts(configLayers.effective(device).configVersion)) {
    return err({ code: "version_changed" });
  }
  const values = mergePatch(device.configOverrides.values, patch);
  const errors = sizeErrors(values);
  if (errors.length > 0) return err({ code: "invalid_config", errors });
  const checked = configLayers.check(device, values);
  if (checked.isErr()) return err({ code: "invalid_config", errors: checked.error });

  const { values: former, revision: expectedRevision } = device.configOverrides;
  const settings = Object.keys(patch).filter((name) =>
    [former, values].some((layer) => Object.hasOwn(layer, name)),
  );
  const event = makeEvent({
    kind: "device.configured",
    at: clock.now(),
    deviceId,
    actor,
    origin,
    details: { settings },
  });
  const outcome = await deviceCache.change(deviceId, () =>
    store.config.replaceOverrides({ deviceId, ownerId, values, expectedRevision, event }),
  );
  switch (outcome.kind) {
    case "replaced": {
      events.announce(event);
      return ok({ ...device, configOverrides: { values, revision: outcome.revision } });
    }
    case "unknown":
      return err({ code: "unknown_device" });
    case "conflict":
      return "changed";
  }
}
