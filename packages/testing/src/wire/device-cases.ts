import { expect } from "vitest";
import { registration, type WireCase } from "./wire-world.js";

/** Contract §1, without registering again, and §2. */
export const deviceCases: readonly WireCase[] = [
  {
    name: "§1 a new device is registered with 201, token, secret and complete configuration",
    async run({ call, clock }) {
      const { status, headers, body } = await call("registerDevice", { body: registration() });
      expect(status).toBe(201);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(body).toMatchObject({
        deviceId: "gw-1",
        tokenType: "Bearer",
        expiresIn: 86_400,
        expiresAt: new Date(clock.now() + 86_400_000).toISOString(),
        config: { telemetryIntervalSeconds: 60, otaEnabled: true },
      });
      expect(body.deviceSecret).toMatch(/^[\w-]{43}$/);
      expect(body.config.configVersion).toBe(body.configVersion);
      const config = await call("readConfig", { token: body.token });
      expect(config.body).toEqual(body.config);
    },
  },
  {
    name: "§1 registering writes its security event, and no secret with it",
    async run({ call, store, clock }) {
      const headers = { "x-request-id": "req-1" };
      const { body } = await call("registerDevice", { body: registration(), headers });
      const events = await store.securityEvents.list({ after: 0, limit: 10 });
      expect(events).toEqual([
        expect.objectContaining({
          kind: "device.registered",
          at: clock.now(),
          deviceId: "gw-1",
          requestId: "req-1",
        }),
      ]);
      const device = await store.devices.find("gw-1");
      const atRest = JSON.stringify([events, device]);
      for (const secret of [body.deviceSecret, "ABCD-EFGH", "ABCDEFGH"]) {
        expect(atRest).not.toContain(secret);
      }
    },
  },
  {
    name: "§1 the same deviceId again without proof is 409 and changes nothing",
    async run({ call, store }) {
      await call("registerDevice", { body: registration() });
      const before = await store.devices.find("gw-1");
      const again = { ...registration(), claimCode: "ZZZZ-ZZZZ", hardwareId: "other" };
      const { status, body } = await call("registerDevice", { body: again });
      expect([status, body.code]).toEqual([409, "device_already_registered"]);
      expect(await store.devices.find("gw-1")).toEqual(before);
      expect(await store.securityEvents.list({ after: 0, limit: 10 })).toHaveLength(1);
    },
  },
  {
    name: "§1 of many registrations at once exactly one is new",
    options: { limits: { registerTriesPerAddressAndDevice: 20 } },
    async run({ call }) {
      const tries = Array.from({ length: 20 }, (_, i) =>
        call("registerDevice", { body: { ...registration(), hardwareId: `board-${i}` } }),
      );
      const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    },
  },
  {
    name: "§1 deviceId, hardwareId and firmwareVersion have their forms",
    async run({ call }) {
      const bad = [
        { deviceId: "" },
        { deviceId: "." },
        { deviceId: ".." },
        { deviceId: "a/b" },
        { deviceId: "x".repeat(129) },
        { deviceId: "ä" },
        { hardwareId: "" },
        { hardwareId: "a\u0000b" },
        { hardwareId: "x".repeat(129) },
        { firmwareVersion: "1.2" },
        { firmwareVersion: "1.2.3-rc1" },
        { firmwareVersion: 1 },
        { claimCode: 12345678 },
      ];
      for (const wrong of bad) {
        const { status, body } = await call("registerDevice", {
          body: { ...registration(), ...wrong },
        });
        expect([wrong, status, body.errors[0].path]).toEqual([wrong, 400, Object.keys(wrong)[0]]);
      }
      for (const deviceId of ["...", "a:b_c-d.E", "x".repeat(128)]) {
        expect((await call("registerDevice", { body: registration(deviceId) })).status).toBe(201);
      }
    },
  },
  {
    name: "§1 a claim code is required from firmware 0.1.4 on, compared as numbers",
    async run({ call, store }) {
      const send = async (firmwareVersion: string, claimCode?: string) => {
        const body = { ...registration(`fw-${firmwareVersion}`), firmwareVersion, claimCode };
        const reply = await call("registerDevice", { body });
        return reply.status === 400 ? reply.body.errors[0].code : reply.status;
      };
      for (const later of ["0.1.4", "0.1.10", "0.2.0", "1.0.0"]) {
        expect(await send(later)).toBe("required");
        expect(await send(later, "")).toBe("required");
        expect(await send(later, "abcd efgh")).toBe(201);
      }
      expect(await send("0.1.3")).toBe(201);
      expect((await store.devices.find("fw-0.1.3"))?.claimCodeHash).toBeNull();
      expect(await send("0.0.99", "ABCD-EFGH")).toBe(201);
      expect((await store.devices.find("fw-0.0.99"))?.claimCodeHash).toMatch(/^\$scrypt\$/);
    },
  },
  {
    name: "§1 the legacy door can be closed",
    options: { allowLegacyRegistration: false },
    async run({ call }) {
      const old = { ...registration(), firmwareVersion: "0.1.3", claimCode: undefined };
      expect((await call("registerDevice", { body: old })).status).toBe(400);
    },
  },
  {
    name: "§1 a claim code has 6 to 64 letters or digits once hyphens and spaces are out",
    async run({ call }) {
      const send = async (claimCode: string, deviceId: string) =>
        (await call("registerDevice", { body: { ...registration(deviceId), claimCode } })).status;
      const bad = ["ABCDE", "AB-CD-E", "ABCDEF!", "ÄBCDEF", "x".repeat(65)];
      for (const code of bad) expect([code, await send(code, "bad")]).toEqual([code, 400]);
      expect(await send("A-B-C-D-E-F", "six")).toBe(201);
      expect(await send("x".repeat(64), "sixty-four")).toBe(201);
    },
  },
  {
    name: "§1 hints are stored, an invalid one is dropped and fails nothing",
    async run({ call, store }) {
      const hints = {
        targetHardware: "esp32dev",
        hardwarePlatform: 7,
        hardwareModel: "",
        boardProfile: "relay-v2",
        hardwareFingerprint: "aa:bb:cc",
        capabilities: { externalDownload: true },
      };
      await call("registerDevice", { body: { ...registration(), ...hints } });
      const profile = (await store.devices.find("gw-1"))?.profile;
      expect(profile).toMatchObject({
        targetHardware: "esp32dev",
        hardwarePlatform: null,
        hardwareModel: null,
        boardProfile: "relay-v2",
        capabilities: { externalDownload: true },
      });
      expect(profile?.fingerprintHash).toMatch(/^[\w-]{43}$/);

      const none = { hardwareFingerprint: "unknown", capabilities: { a: "yes" } };
      await call("registerDevice", { body: { ...registration("gw-2"), ...none } });
      expect((await store.devices.find("gw-2"))?.profile).toMatchObject({
        targetHardware: "esp32:devkit-v1",
        fingerprintHash: null,
        capabilities: {},
      });
    },
  },
  {
    name: "§2 the secret logs in for a fresh token and the configuration",
    async run({ call, register, clock }) {
      const { deviceId, deviceSecret } = await register();
      clock.advance(5_000);
      const { status, headers, body } = await call("loginDevice", {
        body: { deviceId, deviceSecret },
      });
      expect(status).toBe(200);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(body).toMatchObject({ deviceId, tokenType: "Bearer", expiresIn: 86_400 });
      expect(body.deviceSecret).toBeUndefined();
      expect((await call("readConfig", { token: body.token })).status).toBe(200);
    },
  },
  {
    name: "§2 an unknown device and a wrong secret get the same 401 invalid_credentials",
    async run({ call, register }) {
      const { deviceId } = await register();
      const headers = { "x-request-id": "same" };
      const answers = [];
      for (const body of [
        { deviceId, deviceSecret: "wrong" },
        { deviceId: "unknown", deviceSecret: "wrong" },
      ]) {
        const reply = await call("loginDevice", { body, headers });
        const sent = [...reply.headers].filter(([name]) => name !== "date");
        answers.push({ ...reply, headers: sent });
      }
      expect(answers[0]).toMatchObject({ status: 401, body: { code: "invalid_credentials" } });
      expect(answers[0]?.body.error).not.toBe("Unauthorized");
      expect(answers[0]).toEqual(answers[1]);
    },
  },
  {
    name: "§2 login records a changed firmware version and hints, and keeps what is not mentioned",
    async run({ call, register, store }) {
      const { deviceId, deviceSecret } = await register();
      const said = { firmwareVersion: "0.2.0", boardProfile: "v3", capabilities: { tls: true } };
      await call("loginDevice", { body: { deviceId, deviceSecret, ...said } });
      const garbage = { firmwareVersion: "latest", boardProfile: 5 };
      const { status } = await call("loginDevice", {
        body: { deviceId, deviceSecret, ...garbage },
      });
      expect(status).toBe(200);
      expect((await store.devices.find(deviceId))?.profile).toMatchObject({
        hardwareId: "esp32:devkit-v1",
        ...said,
      });
    },
  },
  {
    name: "§2 a token ends with its lifetime",
    options: { limits: { tokenTtlSeconds: 300 } },
    async run({ call, register, clock }) {
      const { token } = await register();
      clock.advance(299_000);
      expect((await call("readConfig", { token })).status).toBe(200);
      clock.advance(1_000);
      expect((await call("readConfig", { token })).status).toBe(401);
    },
  },
  {
    name: "§9 an address has so many registrations and failed logins a minute; good logins are free",
    options: { limits: { authPerMinute: 12, loginsPerMinute: 30 } },
    async run({ call, register, clock }) {
      const { deviceId, deviceSecret } = await register();
      const login = async (secret: string) =>
        call("loginDevice", { body: { deviceId, deviceSecret: secret } });
      for (let i = 0; i < 30; i++) expect((await login(deviceSecret)).status).toBe(200);
      for (let i = 0; i < 11; i++) expect((await login("wrong")).status).toBe(401);
      const { status, headers, body } = await login("wrong");
      expect([status, body.code]).toEqual([429, "too_many_requests"]);
      expect(headers.get("retry-after")).toBe("5");
      expect(headers.get("ratelimit-policy")).toBe('"auth";q=12;w=60');
      expect(headers.get("ratelimit")).toBe('"auth";r=0;t=5');
      clock.advance(5_000);
      expect((await login(deviceSecret)).status).toBe(200);
    },
  },
  {
    name: "§9 a device has 20 good logins at once and 10 a minute, which nobody else can use up",
    options: { limits: { authPerMinute: 12 } },
    async run({ call, register, clock }) {
      const { deviceId, deviceSecret } = await register();
      const neighbour = await register("gw-2");
      const login = (body: object) =>
        call("loginDevice", { body: { deviceId, deviceSecret, ...body } });
      for (let i = 0; i < 5; i++) expect((await login({ deviceSecret: "wrong" })).status).toBe(401);
      for (let i = 0; i < 20; i++) expect((await login({})).status).toBe(200);
      // The refused ones cost the address nothing, where others log in as well.
      for (let i = 0; i < 20; i++) {
        const { status, headers, body } = await login({});
        expect([status, body.code]).toEqual([429, "too_many_requests"]);
        expect(headers.get("retry-after")).toBe("6");
        expect(headers.get("ratelimit-policy")).toBe('"login";q=10;w=60');
        expect(headers.get("ratelimit")).toBe('"login";r=0;t=6');
      }
      expect((await login({ deviceSecret: "wrong" })).status, "a 429 would prove it right").toBe(
        401,
      );
      expect((await login(neighbour)).status).toBe(200);
      clock.advance(6_000);
      expect((await login({})).status).toBe(200);
      expect((await login({})).status).toBe(429);
    },
  },
  {
    name: "§9 devices of one address that all return at once are all let in",
    options: { limits: { authPerMinute: 30 } },
    async run({ call, register, clock }) {
      const devices: Awaited<ReturnType<typeof register>>[] = [];
      for (let n = 0; n < 25; n++) devices.push(await register(`gw-${n}`));
      clock.advance(60_000);
      for (let boot = 0; boot < 3; boot++) {
        const replies = await Promise.all(
          devices.map(({ deviceId, deviceSecret }) =>
            call("loginDevice", { body: { deviceId, deviceSecret } }),
          ),
        );
        expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      }
    },
  },
];
