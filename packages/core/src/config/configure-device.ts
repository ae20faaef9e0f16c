import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { DeviceConfig, FieldError } from "../contract/index.js";
import type { JsonObject } from "../json.js";
import { mergePatch } from "./merge-patch.js";

export interface ConfigureDeviceInput {
  readonly deviceId: string;
  /** A merge patch (RFC 7396) over the device's own layer: null puts a setting back to its default. */
  readonly patch: JsonObject;
  /** Who asks, for the audit trail. */
  readonly actor: string;
}

export type ConfigureDeviceFailure =
  | { readonly code: "unknown_device" }
  | { readonly code: "invalid_config"; readonly errors: readonly FieldError[] };

/**
 * Changes the device layer of a device's configuration and returns what it gets from now on.
 * Patches from several writers at once are all applied, one after the other.
 */
export async function configureDevice(
  context: GatewayContext,
  { deviceId, patch, actor }: ConfigureDeviceInput,
): Promise<Result<DeviceConfig, ConfigureDeviceFailure>> {
  for (;;) {
    const device = await context.store.devices.find(deviceId);
    if (device === null) return err({ code: "unknown_device" });

    const values = mergePatch(device.configOverrides.values, patch);
    const checked = context.configLayers.check(device, values);
    if (checked.isErr()) return err({ code: "invalid_config", errors: checked.error });

    const outcome = await context.store.config.replaceOverrides({
      deviceId,
      values,
      expectedRevision: device.configOverrides.revision,
      event: {
        kind: "device.configured",
        at: context.clock.now(),
        deviceId,
        actor,
        requestId: null,
        clientAddress: null,
        details: { settings: Object.keys(patch) },
      },
    });
    if (outcome.kind === "replaced") {
      const { revision } = outcome;
      return ok(
        context.configLayers.effective({ ...device, configOverrides: { values, revision } }),
      );
    }
  }
}
