import { sha256 } from "@noble/hashes/sha2.js";
import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import { BaseSettings, type DeviceConfig, type FieldError } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { ConfigOptions } from "../gateway-options.js";
import type { Logger } from "../ports/logger.js";
import { toBase64Url, toUtf8 } from "../shared/bytes.js";
import { toFieldErrors } from "../shared/field-errors.js";
import { canonicalJson, type JsonObject } from "../shared/json.js";
import { mergePatch } from "./merge-patch.js";

/** The gateway adds these to the configuration, so no setting may have such a name. */
const reserved = ["configVersion", "otaUpdateRequestId"];

/** Computes a device's configuration from its layers: defaults, then target hardware, then device (§5). */
export interface ConfigLayers {
  /** Returns the effective configuration. Overrides that no longer match the schema are ignored and logged. */
  effective(device: Device): DeviceConfig;
  /** Checks that the device would have a valid configuration with these overrides. */
  check(device: Device, overrides: JsonObject): Result<void, readonly FieldError[]>;
}

function withVersion(settings: JsonObject): DeviceConfig {
  const digest = sha256(toUtf8(canonicalJson(settings)));
  return { ...settings, configVersion: toBase64Url(digest.subarray(0, 12)) } as DeviceConfig;
}

/**
 * Creates the layers from the options.
 * @throws {TypeError} if a layer does not match the schema, or a setting has a reserved name.
 */
export function createConfigLayers(options: ConfigOptions, logger: Logger): ConfigLayers {
  const { defaults = {}, byTargetHardware = {} } = options;
  const schema = z.strictObject({ ...BaseSettings.shape, ...options.settings?.shape });
  for (const name of reserved) {
    if (name in schema.shape) {
      throw new TypeError(`config.settings: the name "${name}" is reserved. Choose another name.`);
    }
  }

  const parse = (layer: JsonObject) => schema.safeParse(layer);
  const parseLayer = (place: string, layer: JsonObject) => {
    const parsed = parse(layer);
    if (parsed.success) return { layer, config: withVersion(parsed.data as JsonObject) };
    throw new TypeError(`${place} does not match the settings. ${z.prettifyError(parsed.error)}`);
  };
  const base = parseLayer("config.defaults", defaults);
  const hardware = new Map(
    Object.entries(byTargetHardware).map(([target, patch]) => [
      target,
      parseLayer(`config.byTargetHardware["${target}"]`, mergePatch(defaults, patch)),
    ]),
  );
  const lowerLayers = (device: Device) => hardware.get(device.profile.targetHardware) ?? base;

  function settingsOf(device: Device): DeviceConfig {
    const { layer, config } = lowerLayers(device);
    const { values, revision } = device.configOverrides;
    if (revision === 0) return config;
    const parsed = parse(mergePatch(layer, values));
    if (parsed.success) return withVersion(parsed.data as JsonObject);
    const { deviceId } = device;
    logger.warn(
      { deviceId, problems: toFieldErrors(parsed.error) },
      "The device's overrides no longer match the settings and are ignored. Change its configuration.",
    );
    return config;
  }

  return {
    effective(device) {
      const config = settingsOf(device);
      const { command } = device.ota;
      if (command === null || command.answeredAt !== null) return config;
      const { configVersion: _, ...settings } = config;
      return withVersion({ ...(settings as JsonObject), otaUpdateRequestId: command.requestId });
    },
    check(device, overrides) {
      const parsed = parse(mergePatch(lowerLayers(device).layer, overrides));
      return parsed.success ? ok(undefined) : err(toFieldErrors(parsed.error));
    },
  };
}
