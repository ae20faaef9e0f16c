import { sha256 } from "@noble/hashes/sha2.js";
import type { Result } from "neverthrow";
import type { DeviceConfig, FieldError } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { ConfigOptions } from "../gateway-options.js";
import { waitingRequest } from "../ota/offer/device-ota.js";
import type { Logger } from "../ports/logger.js";
import { createBoundedCache } from "../shared/bounded-cache.js";
import { toBase64Url, toUtf8 } from "../shared/bytes.js";
import { canonicalJson, type JsonObject } from "../shared/json.js";
import { mergePatch } from "./merge-patch.js";
import { createSettingsParser } from "./parse-settings.js";

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
  /** The revision of the overrides that the last warning about a device was about. */
  const warnedOf = createBoundedCache<number>(10_000);
  const parse = createSettingsParser(options.settings);
  const parseLayer = (place: string, layer: JsonObject) => {
    const parsed = parse(layer);
    if (parsed.isOk()) return { layer, config: withVersion(parsed.value) };
    const problems = parsed.error.map(({ path, message }) => `${path}: ${message}`).join("\n");
    throw new TypeError(`${place} does not match the settings.\n${problems}`);
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
    if (parsed.isOk()) return withVersion(parsed.value);
    const { deviceId } = device;
    if (warnedOf.get(deviceId) === revision) return config;
    warnedOf.set(deviceId, revision);
    logger.warn(
      { deviceId, problems: parsed.error },
      "The device's overrides no longer match the settings and are ignored. Change its configuration.",
    );
    return config;
  }

  return {
    effective(device) {
      const config = settingsOf(device);
      const request = waitingRequest(device.ota);
      if (request === null) return config;
      const { configVersion: _, ...settings } = config;
      return withVersion({ ...(settings as JsonObject), otaUpdateRequestId: request.requestId });
    },
    check(device, overrides) {
      return parse(mergePatch(lowerLayers(device).layer, overrides)).map(() => undefined);
    },
  };
}
