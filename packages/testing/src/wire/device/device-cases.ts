import { expect } from "vitest";
import { expectRetryAfter } from "../world/expect-retry-after.js";
import { sampleRegistration, type WireCase } from "../world/wire-world.js";

/** Cases for §1 without registering again, and for §2. */
export const deviceCases: readonly WireCase[] = [
  {
    name: "§1 a new device gets 201 with a token, a secret and the complete configuration",
    async run({ call, clock }) {
      const { status, headers, body } = await call("registerDevice", {
        body: sampleRegistration(),
      });
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
    name: "§1 a registration writes a security event without any secret",
    async run({ call, store, clock }) {
      const headers = { "x-request-id": "req-1" };
      const { body } = await call("registerDevice", { body: sampleRegistration(), headers });
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
    name: "§1 registering a deviceId again without proof is 409 and changes nothing",
    async run({ call, store }) {
      await call("registerDevice", { body: sampleRegistration() });
      const before = await store.devices.find("gw-1");
      const again = { ...sampleRegistration(), claimCode: "ZZZZ-ZZZZ", hardwareId: "other" };
      const { status, body } = await call("registerDevice", { body: again });
      expect([status, body.code]).toEqual([409, "device_already_registered"]);
      expect(await store.devices.find("gw-1")).toEqual(before);
      expect(await store.securityEvents.list({ after: 0, limit: 10 })).toHaveLength(1);
    },
  },
  {
    name: "§1 exactly one of many concurrent registrations gets 201",
    options: { limits: { registerTriesPerAddressAndDevice: 20 } },
    async run({ call }) {
      const tries = Array.from({ length: 20 }, (_, i) =>
        call("registerDevice", { body: { ...sampleRegistration(), hardwareId: `board-${i}` } }),
      );
      const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    },
  },
  {
    name: "§1 an invalid deviceId, hardwareId or firmwareVersion is 400",
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
          body: { ...sampleRegistration(), ...wrong },
        });
        expect([wrong, status, body.errors[0].path]).toEqual([wrong, 400, Object.keys(wrong)[0]]);
      }
      for (const deviceId of ["...", "a:b_c-d.E", "x".repeat(128)]) {
        expect((await call("registerDevice", { body: sampleRegistration(deviceId) })).status).toBe(
          201,
        );
      }
    },
  },
  {
    name: "§1 a claim code is required from firmware 0.1.4, and versions are compared as numbers",
    async run({ call, store }) {
      const send = async (firmwareVersion: string, claimCode?: string) => {
        const body = { ...sampleRegistration(`fw-${firmwareVersion}`), firmwareVersion, claimCode };
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
    name: "§1 an option refuses registrations without a claim code",
    options: { allowLegacyRegistration: false },
    async run({ call }) {
      const old = { ...sampleRegistration(), firmwareVersion: "0.1.3", claimCode: undefined };
      expect((await call("registerDevice", { body: old })).status).toBe(400);
    },
  },
  {
    name: "§1 a claim code has 6 to 64 letters or digits without hyphens and spaces",
    async run({ call }) {
      const send = async (claimCode: string, deviceId: string) =>
        (await call("registerDevice", { body: { ...sampleRegistration(deviceId), claimCode } }))
          .status;
      const bad = ["ABCDE", "AB-CD-E", "ABCDEF!", "ÄBCDEF", "x".repeat(65)];
      for (const code of bad) expect([code, await send(code, "bad")]).toEqual([code, 400]);
      expect(await send("A-B-C-D-E-F", "six")).toBe(201);
      expect(await send("x".repeat(64), "sixty-four")).toBe(201);
    },
  },
  {
    name: "§1 hints are stored, and an invalid hint is dropped without an error",
    async run({ call, store }) {
      const hints = {
        targetHardware: "esp32dev",
        hardwarePlatform: 7,
        hardwareModel: "",
        boardProfile: "relay-v2",
        hardwareFingerprint: "aa:bb:cc",
        capabilities: { externalDownload: true },
      };
      await call("registerDevice", { body: { ...sampleRegistration(), ...hints } });
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
      await call("registerDevice", { body: { ...sampleRegistration("gw-2"), ...none } });
      expect((await store.devices.find("gw-2"))?.profile).toMatchObject({
        targetHardware: "esp32:devkit-v1",
        fingerprintHash: null,
        capabilities: {},
      });
    },
  },
  {
    name: "§2 a login with the secret returns a new token and the configuration",
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
    name: "§2 a login records a changed firmware version and hints, and keeps the others",
    async run({ call, register, store }) {
      const { deviceId, deviceSecret } = await register();
      const changes = { firmwareVersion: "0.2.0", boardProfile: "v3", capabilities: { tls: true } };
      await call("loginDevice", { body: { deviceId, deviceSecret, ...changes } });
      const garbage = { firmwareVersion: "latest", boardProfile: 5 };
      const { status } = await call("loginDevice", {
        body: { deviceId, deviceSecret, ...garbage },
      });
      expect(status).toBe(200);
      expect((await store.devices.find(deviceId))?.profile).toMatchObject({
        hardwareId: "esp32:devkit-v1",
        ...changes,
      });
    },
  },
  {
    name: "§2 a token expires after its lifetime",
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
    name: "§9 registrations and failed logins of an address are limited per minute; successful logins are free",
    options: { limits: { authPerMinute: 12, loginsPerMinute: 30 } },
    async run({ call, register, clock }) {
      const { deviceId, deviceSecret } = await register();
      const login = async (secret: string) =>
        call("loginDevice", { body: { deviceId, deviceSecret: secret } });
      // More than the limit of failures.
      for (let i = 0; i < 13; i++) expect((await login(deviceSecret)).status).toBe(200);
      for (let i = 0; i < 11; i++) expect((await login("wrong")).status).toBe(401);
      const { status, headers, body } = await login("wrong");
      expect([status, body.code]).toEqual([429, "too_many_requests"]);
      expectRetryAfter(headers, 5);
      expect(headers.get("ratelimit-policy")).toBe('"auth";q=12;w=60');
      expect(headers.get("ratelimit")).toBe('"auth";r=0;t=5');
      clock.advance(5_000);
      expect((await login(deviceSecret)).status).toBe(200);
    },
  },
  {
    name: "§9 a device has 20 successful logins at once and 10 a minute, which nobody else can use up",
    options: { limits: { authPerMinute: 12 } },
    async run({ call, register, clock }) {
      const { deviceId, deviceSecret } = await register();
      const neighbour = await register("gw-2");
      const login = (body: object) =>
        call("loginDevice", { body: { deviceId, deviceSecret, ...body } });
      for (let i = 0; i < 5; i++) expect((await login({ deviceSecret: "wrong" })).status).toBe(401);
      for (let i = 0; i < 20; i++) expect((await login({})).status).toBe(200);
      // Refused logins draw no token of the address, because other devices share it.
      for (let i = 0; i < 8; i++) {
        const { status, headers, body } = await login({});
        expect([status, body.code]).toEqual([429, "too_many_requests"]);
        expectRetryAfter(headers, 6);
        expect(headers.get("ratelimit-policy")).toBe('"login";q=10;w=60');
        expect(headers.get("ratelimit")).toBe('"login";r=0;t=6');
      }
      expect(
        (await login({ deviceSecret: "wrong" })).status,
        "a 429 would reveal that the secret is correct",
      ).toBe(401);
      expect((await login(neighbour)).status).toBe(200);
      clock.advance(6_000);
      expect((await login({})).status).toBe(200);
      expect((await login({})).status).toBe(429);
    },
  },
  {
    name: "§9 all devices of one address can log in at the same time",
    options: { limits: { authPerMinute: 10 } },
    async run({ call, register, clock }) {
      const devices: Awaited<ReturnType<typeof register>>[] = [];
      for (let n = 0; n < 8; n++) devices.push(await register(`gw-${n}`));
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
