import { operator } from "@device-gateway/core";
import { expect } from "vitest";
import { z } from "zod";
import { sampleRegistration, type WireCase } from "../world/wire-world.js";

/** Cases for §5. */
export const configCases: readonly WireCase[] = [
  {
    name: "§5 the configuration is at the top level, its version is the ETag, and a known version is 304",
    async run({ call, register }) {
      const { token } = await register();
      const { status, headers, body } = await call("readConfig", { token });
      expect([status, body.telemetryIntervalSeconds, body.otaEnabled]).toEqual([200, 60, true]);
      const etag = `"${body.configVersion}"`;
      expect(headers.get("etag")).toBe(etag);
      for (const known of [etag, `W/${etag}`, `"old", ${etag}`, "*"]) {
        const again = await call("readConfig", { token, headers: { "if-none-match": known } });
        expect([known, again.status, again.headers.get("etag")]).toEqual([known, 304, etag]);
      }
      const other = await call("readConfig", { token, headers: { "if-none-match": '"old"' } });
      expect(other.status).toBe(200);
    },
  },
  {
    name: "§5 the device layer is merged over the target hardware's, and that over the defaults",
    options: {
      config: {
        settings: z.object({ site: z.object({ zone: z.string(), floor: z.int() }).optional() }),
        defaults: { telemetryIntervalSeconds: 30, site: { zone: "eu", floor: 1 } },
        byTargetHardware: { esp32dev: { telemetryIntervalSeconds: 20, site: { floor: 2 } } },
      },
    },
    async run({ call, gateway }) {
      const read = async (deviceId: string, targetHardware: string) => {
        const body = { ...sampleRegistration(deviceId), targetHardware };
        const { token } = (await call("registerDevice", { body })).body;
        return { token, config: (await call("readConfig", { token })).body };
      };
      expect((await read("plain", "other")).config).toMatchObject({
        telemetryIntervalSeconds: 30,
        site: { zone: "eu", floor: 1 },
      });
      const { token, config } = await read("special", "esp32dev");
      expect(config).toMatchObject({
        telemetryIntervalSeconds: 20,
        site: { zone: "eu", floor: 2 },
        otaEnabled: true,
      });
      const patch = { telemetryIntervalSeconds: 15, otaEnabled: false, site: { zone: 5 } };
      const { configureDevice } = gateway.as(operator({ id: "test" }));
      const params = { deviceId: "special" };
      const refused = await configureDevice({ params, body: patch });
      expect(refused._unsafeUnwrapErr()).toMatchObject({ code: "invalid_request" });
      const body = { ...patch, site: { zone: "us" } };
      const accepted = await configureDevice({ params, body });
      const now = (await call("readConfig", { token })).body;
      expect(now).toEqual(accepted._unsafeUnwrap().body.config);
      expect(now).toMatchObject({ telemetryIntervalSeconds: 15, site: { zone: "us", floor: 2 } });
      expect(now.configVersion).not.toBe(config.configVersion);
    },
  },
  {
    name: "§5 removing a device's setting with null restores the former version",
    async run({ call, register, gateway }) {
      const { deviceId, token } = await register();
      const before = (await call("readConfig", { token })).body;
      const { configureDevice } = gateway.as(operator({ id: "test" }));
      const set = async (telemetryIntervalSeconds: number | null) =>
        configureDevice({ params: { deviceId }, body: { telemetryIntervalSeconds } });
      expect((await set(5)).isErr()).toBe(true);
      expect((await set(600)).isOk()).toBe(true);
      expect((await call("readConfig", { token })).body.telemetryIntervalSeconds).toBe(600);
      expect((await set(null)).isOk()).toBe(true);
      expect((await call("readConfig", { token })).body).toEqual(before);
      const nobody = await configureDevice({ params: { deviceId: "no" }, body: {} });
      expect(nobody._unsafeUnwrapErr()).toMatchObject({ code: "device_not_found", status: 404 });
    },
  },
];
