import { sampleDevice } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { plainProfile } from "../device/device-profile.js";
import type { ConfigOptions } from "../gateway-options.js";
import { silentLogger } from "../ports/logger.js";
import type { JsonObject } from "../shared/json.js";
import { createConfigLayers } from "./config-layers.js";

const device = (values: JsonObject, targetHardware = "esp32dev") => ({
  ...sampleDevice("gw-1"),
  profile: { ...plainProfile(targetHardware, "0.1.4"), targetHardware },
  configOverrides: { values, revision: Object.keys(values).length === 0 ? 0 : 1 },
});
const layers = (options: ConfigOptions = {}) => createConfigLayers(options, silentLogger);

test("§5 the version changes exactly when the configuration does", () => {
  const { effective } = layers({ defaults: { telemetryIntervalSeconds: 60 } });
  const version = (values: JsonObject) => effective(device(values)).configVersion;
  expect(version({ telemetryIntervalSeconds: 60 })).toBe(version({}));
  expect(version({ telemetryIntervalSeconds: 61 })).not.toBe(version({}));
  expect(layers().effective(device({})).configVersion).toBe(version({}));
});

test("a layer that does not match the settings is rejected when the gateway is created", () => {
  const invalid: ConfigOptions[] = [
    { defaults: { telemetryIntervalSeconds: 9 } },
    { defaults: { telemetryInterval: 60 } },
    { byTargetHardware: { esp32dev: { otaEnabled: "yes" } } },
    { settings: z.object({ site: z.string() }) },
    { settings: z.object({ configVersion: z.string().default("1") }) },
    { settings: z.object({ telemetryIntervalSeconds: z.int().default(1) }) },
    { defaults: { configVersion: "1" } },
    { settings: z.object({}).refine(async () => true) },
  ];
  for (const options of invalid) expect(() => layers(options)).toThrow(TypeError);
});

test("overrides that no longer match the settings are ignored, and logged once for each change", () => {
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: unknown) => warnings.push(fields) };
  const { effective } = createConfigLayers({}, logger);
  const stale = effective(device({ retiredSetting: true }));
  expect(stale).toEqual(effective(device({})));
  effective(device({ retiredSetting: true }));
  expect(warnings).toEqual([expect.objectContaining({ deviceId: "gw-1" })]);
  const changed = device({ retiredSetting: false });
  effective({ ...changed, configOverrides: { ...changed.configOverrides, revision: 2 } });
  expect(warnings).toHaveLength(2);
});

test("§5 a setting that its schema converts is hashed as the device receives it, or rejected", () => {
  const dates = layers({ settings: z.object({ from: z.coerce.date().optional() }) });
  const [may, june] = ["2026-05-01", "2026-06-01"].map((from) => dates.effective(device({ from })));
  expect(may).toMatchObject({ from: "2026-05-01T00:00:00.000Z" });
  expect(june?.configVersion).not.toBe(may?.configVersion);
  const numbers = layers({ settings: z.object({ count: z.coerce.bigint().optional() }) });
  expect(() => numbers.check(device({}), { count: 1 })).toThrow(TypeError);
});

test("§5 any Standard Schema can declare the embedder's settings, and a setting that the schema drops is unknown", () => {
  const volume: ConfigOptions["settings"] = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: (value) => {
        const { volume = 5 } = value as { volume?: number };
        return volume > 10
          ? { issues: [{ message: "Up to 10.", path: [{ key: "volume" }] }] }
          : { value: { volume } };
      },
    },
  };
  const { effective, check } = layers({ settings: volume, defaults: { volume: 7 } });
  expect(effective(device({}))).toMatchObject({ volume: 7, telemetryIntervalSeconds: 60 });
  expect(check(device({}), { volume: 11, telemetryIntervalSeconds: 5 })._unsafeUnwrapErr()).toEqual(
    [
      expect.objectContaining({ path: "telemetryIntervalSeconds" }),
      { path: "volume", code: "custom", message: "Up to 10." },
    ],
  );
  for (const name of ["colour", "constructor", "toString"]) {
    const [unknown] = check(device({}), { [name]: "red" })._unsafeUnwrapErr();
    expect(unknown).toMatchObject({ path: name, code: "unrecognized_keys" });
  }
});
