import { type GatewayOptions, operator } from "@device-gateway/core";
import { expect } from "vitest";
import {
  asOperator,
  image,
  latest,
  offeredTo,
  otaOptions,
  reasonsFor,
  release,
  statesOf,
} from "../world/ota-world.js";
import { sampleRegistration, type WireCase } from "../world/wire-world.js";

// Worlds set a public URL by default. The type has no way to unset it.
const withoutPublicUrl = { publicUrl: undefined } as unknown as Partial<GatewayOptions>;
const params = { deviceId: "gw-1" };

/** Cases for §6: offers. */
export const offerCases: readonly WireCase[] = [
  {
    name: "§6 without a release there is no update, whatever version the device reports",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      const none = await latest(world, token);
      expect([none.status, none.body]).toEqual([
        200,
        { updateAvailable: false, currentVersion: "0.1.10" },
      ]);
      const withVersion = await latest(world, token, { currentVersion: "5.0.0" });
      expect(withVersion.body).toEqual({ updateAvailable: false, currentVersion: "5.0.0" });
      for (const currentVersion of ["", "dev", "1.0.0-rc1", "1.0", " 1.0.0"]) {
        const { status, body } = await latest(world, token, { currentVersion });
        expect([currentVersion, status, body]).toEqual([currentVersion, 200, none.body]);
      }
      expect((await world.call("readLatestFirmware")).status).toBe(401);
    },
  },
  {
    name: "§6 an offer has every field, the signed lines unchanged and a URL on the public origin",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      const { id, sha256 } = await release(world, "1.0.0", { notes: "Fixes", mandatory: true });
      const { body } = await latest(world, token);
      expect(body).toEqual({
        updateAvailable: true,
        currentVersion: "0.1.10",
        version: "1.0.0",
        targetHardware: sampleRegistration().hardwareId,
        rolloutChannel: "stable",
        releasedAt: "2025-06-01T12:00:00Z",
        downloadUrl: `https://gw.test/api/v1/ota/firmware/${id}`,
        size: image.length,
        sha256,
        signature: "c2lnbmF0dXJl",
        signingKeyId: "key-1",
        signatureAlgorithm: "ecdsa-p256-sha256",
        mandatory: true,
        notes: "Fixes",
      });
      const newer = await latest(world, token, { currentVersion: "1.0.0" });
      expect(newer.body).toEqual({ updateAvailable: false, currentVersion: "1.0.0" });
      const telemetry = await world.call("sendTelemetry", { token, body: { a: 1 } });
      expect(telemetry.body.updateAvailable).toBe(true);
    },
  },
  {
    name: "§6 a repeated offer is recorded once and then needs no call of the store",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      const other = await world.register("gw-2");
      await release(world, "1.0.0");
      await offeredTo(world, token);
      await offeredTo(world, token);
      expect(await statesOf(world)).toEqual(["offered"]);
      const calls: string[] = [];
      const ports = [world.store.updates, world.store.releases, world.store.devices];
      for (const port of ports as unknown as Record<string, unknown>[]) {
        for (const [name, method] of Object.entries(port)) {
          port[name] = (...input: unknown[]) => {
            calls.push(name);
            return (method as (...input: unknown[]) => unknown)(...input);
          };
        }
      }
      await offeredTo(world, other.token);
      expect(calls.splice(0), "a first offer is recorded").toContain("report");
      for (let n = 0; n < 5; n++) expect(await offeredTo(world, token)).toBe("1.0.0");
      expect(calls).toEqual([]);
    },
  },
  {
    name: "§6 a device is offered the highest release whose minVersion it meets",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      await release(world, "1.0.0");
      const second = await release(world, "1.9.0", { minVersion: "1.0.0" });
      await release(world, "1.10.0", { minVersion: "1.9.0" });
      const at = async (currentVersion: string) =>
        (await latest(world, token, { currentVersion })).body.version;
      expect(await at("0.1.10")).toBe("1.0.0");
      expect(await at("1.0.0")).toBe("1.9.0");
      expect(await at("1.9.0")).toBe("1.10.0");
      expect(await at("1.10.0")).toBeUndefined();
      expect(await reasonsFor(world, second.id)).toEqual(["below_min_version"]);
    },
  },
  {
    name: "§9 a device that changes its currentVersion again and again is offered what fits, and ten offers a minute are recorded",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      await release(world, "1.0.0");
      await release(world, "1.9.0", { minVersion: "1.0.0" });
      let reports = 0;
      const { updates } = world.store;
      const { report } = updates;
      (updates as { report: typeof report }).report = (...input) => {
        reports += 1;
        return report(...input);
      };
      for (let n = 0; n < 15; n++) {
        for (const [currentVersion, version] of [
          ["0.1.10", "1.0.0"],
          ["1.0.0", "1.9.0"],
        ] as const) {
          const { body } = await latest(world, token, { currentVersion });
          expect(body.version).toBe(version);
        }
      }
      expect(reports).toBe(10);
    },
  },
  {
    name: "§8 operators set channel and pinned version, and explain returns every reason against an offer",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      const stable = await release(world, "1.0.0");
      const beta = await release(world, "1.1.0", { rolloutChannel: "beta", rolloutPercent: 0 });
      const operator = await asOperator(world);
      const setTarget = (body: object) =>
        world.call("setOtaTarget", { token: operator, params, body });
      expect(await offeredTo(world, token)).toBe("1.0.0");
      expect(await reasonsFor(world, stable.id)).toEqual([]);
      expect(await reasonsFor(world, beta.id)).toEqual(["other_channel", "outside_rollout"]);

      const set = await setTarget({ otaChannel: "beta" });
      expect([set.status, set.body]).toEqual([
        200,
        { deviceId: "gw-1", otaChannel: "beta", pinnedVersion: null, benchMode: false },
      ]);
      expect(await offeredTo(world, token)).toBeUndefined();
      expect(await reasonsFor(world, beta.id)).toEqual(["outside_rollout"]);

      await setTarget({ pinnedVersion: "1.01.0" });
      expect(await offeredTo(world, token), "a pin overrides channel and share").toBe("1.1.0");
      const listed = await world.call("listAllDevices", { token: operator });
      expect(listed.body.devices).toMatchObject([{ otaChannel: "beta", pinnedVersion: "1.1.0" }]);
      expect(await reasonsFor(world, stable.id)).toEqual(["pinned"]);
      const freed = await setTarget({ otaChannel: "stable", pinnedVersion: null });
      expect(freed.body).toMatchObject({ otaChannel: "stable", pinnedVersion: null });
      expect(await offeredTo(world, token)).toBe("1.0.0");
      expect(await reasonsFor(world, beta.id)).toEqual(["other_channel", "outside_rollout"]);
    },
  },
  {
    name: "§8 setting an OTA target and explaining an offer need an operator, an existing device and an existing release",
    options: otaOptions,
    async run(world) {
      const { call, register, signIn } = world;
      await register();
      const { id } = await release(world, "1.0.0");
      const operator = await asOperator(world);
      const explain = (releaseId: string, deviceId: string, token = operator) =>
        call("explainOffer", { token, params: { releaseId, deviceId } });
      const codeOf = async (reply: Promise<{ status: number; body: { code: string } }>) => {
        const { status, body } = await reply;
        return [status, body.code];
      };
      expect(await codeOf(explain("999", "gw-1"))).toEqual([404, "release_not_found"]);
      expect(await codeOf(explain(String(id), "gw-9"))).toEqual([404, "device_not_found"]);
      expect(await codeOf(explain("x", "gw-1"))).toEqual([400, "invalid_request"]);
      const setTarget = (deviceId: string, body: object, token = operator) =>
        call("setOtaTarget", { token, params: { deviceId }, body });
      expect(await codeOf(setTarget("gw-9", { otaChannel: "beta" }))).toEqual([
        404,
        "device_not_found",
      ]);
      for (const body of [{}, { otaChannel: "a b" }, { pinnedVersion: "1.0" }]) {
        expect(await codeOf(setTarget("gw-1", body))).toEqual([400, "invalid_request"]);
      }
      const customer = await signIn("alice");
      expect(await codeOf(explain(String(id), "gw-1", customer))).toEqual([403, "forbidden"]);
      expect(await codeOf(setTarget("gw-1", { otaChannel: "beta" }, customer))).toEqual([
        403,
        "forbidden",
      ]);
      expect((await call("explainOffer", { params: { releaseId: "1", ...params } })).status).toBe(
        401,
      );
      expect((await call("setOtaTarget", { params, body: { otaChannel: "a" } })).status).toBe(401);
    },
  },
  {
    name: "§6 otaEnabled false stops offers, and a pause ends an offer within a second",
    options: otaOptions,
    async run(world) {
      const { call, register, gateway, store, clock } = world;
      const { deviceId, token } = await register();
      const { id, revision } = await release(world, "1.0.0");
      const enable = async (otaEnabled: boolean) => {
        const configured = await gateway.as(operator({ id: "test" })).configureDevice({
          params: { deviceId },
          body: { otaEnabled },
        });
        expect(configured.isOk()).toBe(true);
      };
      await enable(false);
      expect(await offeredTo(world, token)).toBeUndefined();
      expect(await reasonsFor(world, id)).toEqual(["ota_disabled"]);
      await enable(true);
      expect(await offeredTo(world, token)).toBe("1.0.0");
      const event = { kind: "release.paused", at: clock.now(), deviceId: "", actor: "op" } as const;
      await store.releases.change({
        id,
        expectedRevision: revision,
        changes: { status: "paused" },
        event: { ...event, requestId: null, clientAddress: null, details: {} },
      });
      clock.advance(1_000);
      expect(await offeredTo(world, token)).toBeUndefined();
      const sent = await call("sendTelemetry", { token, body: { a: 1 } });
      expect(sent.body.updateAvailable).toBe(false);
      expect(await reasonsFor(world, id)).toEqual(["paused"]);
    },
  },
  {
    name: "§6 an external image is offered only to devices with the capability externalDownload",
    options: otaOptions,
    async run(world) {
      const externalUrl = "https://cdn.test/app.bin";
      const { id } = await release(world, "1.0.0", { hasImage: false, externalUrl });
      const register = async (deviceId: string, capabilities: object) => {
        const body = { ...sampleRegistration(deviceId), capabilities };
        return (await world.call("registerDevice", { body })).body.token;
      };
      const plain = await register("gw-1", {});
      expect(await offeredTo(world, plain)).toBeUndefined();
      expect(await reasonsFor(world, id)).toEqual(["external_download_unsupported"]);
      const capable = await register("gw-2", { externalDownload: true });
      expect((await latest(world, capable)).body.downloadUrl).toBe(externalUrl);
    },
  },
  {
    name: "§6 a gateway without a public URL offers none of its images, and the error says what to do",
    options: withoutPublicUrl,
    async run(world) {
      const { token } = await world.register();
      const { id } = await release(world, "1.0.0");
      const host = { headers: { host: "evil.test" } };
      const reply = await world.call("readLatestFirmware", { token, ...host });
      expect(reply.body).toEqual({ updateAvailable: false, currentVersion: "0.1.10" });
      expect(await reasonsFor(world, id)).toEqual(["public_url_missing"]);
    },
  },
];
