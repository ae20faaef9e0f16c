import { expect } from "vitest";
import { expectRetryAfter } from "../world/expect-retry-after.js";
import { claimFor } from "../world/owner-world.js";
import { sampleRegistration, type WireCase, type WireWorld } from "../world/wire-world.js";

const again = (world: WireWorld, changes: object = {}) =>
  world.call("registerDevice", { body: { ...sampleRegistration(), ...changes } });
const works = async ({ call }: WireWorld, token: string) =>
  (await call("readConfig", { token })).status === 200;
const logIn = ({ call }: WireWorld, deviceSecret: string) =>
  call("loginDevice", { body: { deviceId: "gw-1", deviceSecret } });

/** Cases for registering again and credentials (§1) and for rotation (§2). */
export const registeringAgainCases: readonly WireCase[] = [
  {
    name: "§1 rule 1: a device can register again with its secret, and change its claim code while not owned",
    async run(world) {
      const { deviceSecret } = await world.register();
      const first = await again(world, { deviceSecret, claimCode: "NEWC-ODE1", hardwareId: "new" });
      expect(first.status).toBe(200);
      expect(first.body.deviceSecret).not.toBe(deviceSecret);
      const alice = await world.signIn("alice");
      const claim = async (claimCode: string) =>
        (await world.call("claimDevice", { token: alice, body: { deviceId: "gw-1", claimCode } }))
          .status;
      expect(await claim("ABCD-EFGH")).toBe(401);
      expect(await claim("NEWC-ODE1")).toBe(200);

      const owned = await again(world, {
        deviceSecret: first.body.deviceSecret,
        claimCode: "THIRDCODE",
      });
      expect(owned.status).toBe(200);
      expect(await claim("THIRDCODE")).toBe(401);
      expect(await claim("NEWC-ODE1")).toBe(200);
    },
  },
  {
    name: "§1 rule 2: a device without an owner can register again with its code and the same hardware",
    async run(world) {
      await world.register();
      expect((await again(world)).status).toBe(200);
      for (const wrong of [{ claimCode: "WRONG-ONE" }, { hardwareId: "other" }]) {
        const reply = await again(world, wrong);
        expect([reply.status, reply.body.code]).toEqual([409, "device_already_registered"]);
      }
      await claimFor(world, "alice");
      expect((await again(world)).status).toBe(409);
    },
  },
  {
    name: "§1 rule 2: a known fingerprint must match",
    async run(world) {
      const hardwareFingerprint = "aa:bb";
      await world.call("registerDevice", {
        body: { ...sampleRegistration(), hardwareFingerprint },
      });
      expect((await again(world)).status).toBe(409);
      expect((await again(world, { hardwareFingerprint: "cc:dd" })).status).toBe(409);
      expect((await again(world, { hardwareFingerprint: "unknown" })).status).toBe(409);
      expect((await again(world, { hardwareFingerprint })).status).toBe(200);
    },
  },
  {
    name: "§1 rule 2: a legacy device can register again while not owned and never used",
    async run(world) {
      const old = { firmwareVersion: "0.1.3", claimCode: undefined };
      const { body } = await again(world, old);
      expect((await again(world, old)).status).toBe(200);
      expect((await again(world, { ...old, hardwareId: "other" })).status).toBe(409);
      expect(await works(world, body.token)).toBe(true);
      expect((await again(world, old)).status).toBe(409);
    },
  },
  {
    name: "§1 rule 2: a legacy device that registers a code needs this code from then on",
    async run(world) {
      await again(world, { firmwareVersion: "0.1.3", claimCode: undefined });
      expect((await again(world)).status).toBe(200);
      expect((await again(world, { claimCode: "WRONG-ONE" })).status).toBe(409);
      await claimFor(world, "alice");
    },
  },
  {
    name: "§1 a default target hardware changes with the hardwareId",
    async run(world) {
      const target = async () => (await world.store.devices.find("gw-1"))?.profile.targetHardware;
      const { deviceSecret } = await world.register();
      const moved = await again(world, { deviceSecret, hardwareId: "esp32s3:b" });
      expect(await target()).toBe("esp32s3:b");
      const { body } = await again(world, {
        ...{ deviceSecret: moved.body.deviceSecret, hardwareId: "esp32s3:b" },
        targetHardware: "mine",
      });
      await again(world, { deviceSecret: body.deviceSecret, hardwareId: "esp32c6:c" });
      expect(await target()).toBe("mine");
    },
  },
  {
    name: "§1 rule 3: a token is no proof, and a device with a code never goes back to having none",
    async run(world) {
      const { token } = await world.register();
      const legacy = { firmwareVersion: "0.1.3", claimCode: undefined };
      const headers = { authorization: `Bearer ${token}` };
      const body = { ...sampleRegistration(), ...legacy };
      expect((await world.call("registerDevice", { body, headers })).status).toBe(409);
      expect((await again(world, { ...legacy, deviceSecret: "wrong" })).status).toBe(409);
      const before = await world.store.devices.find("gw-1");
      expect(before?.claimCodeHash).not.toBeNull();
    },
  },
  {
    name: "§1 a lost response does not lock a device out: the former secret is valid until the new one is used",
    async run(world) {
      const { token, deviceSecret } = await world.register();
      expect(await works(world, token)).toBe(true);
      const lost = await again(world);
      expect(await works(world, token)).toBe(true);
      expect((await logIn(world, deviceSecret)).status).toBe(200);

      const next = await again(world);
      expect((await logIn(world, lost.body.deviceSecret)).status).toBe(401);
      expect((await logIn(world, next.body.deviceSecret)).status).toBe(200);
      expect((await logIn(world, deviceSecret)).status).toBe(401);
      expect(await works(world, token)).toBe(false);
      expect(await works(world, next.body.token)).toBe(true);
    },
  },
  {
    name: "§1 the first request with a pending credential's token makes it the current one",
    async run(world) {
      const { token, deviceSecret } = await world.register();
      expect(await works(world, token)).toBe(true);
      const { body } = await again(world);
      expect(await works(world, body.token)).toBe(true);
      expect(await works(world, token)).toBe(false);
      expect((await logIn(world, deviceSecret)).status).toBe(401);
      const kinds = (await world.store.securityEvents.list({ after: 0, limit: 10 })).map(
        ({ kind }) => kind,
      );
      expect(kinds).toEqual([
        "device.registered",
        "device.registered_again",
        "device.credential_promoted",
      ]);
    },
  },
  {
    name: "§9 an address has five wrong codes at registration in 15 minutes, and secrets are exempt",
    async run(world) {
      const { deviceSecret } = await world.register();
      for (let i = 0; i < 5; i++) {
        expect((await again(world, { claimCode: `WRONG-${i}XX` })).status).toBe(409);
      }
      const refused = await again(world);
      expect([refused.status, refused.body.code]).toEqual([429, "too_many_attempts"]);
      expectRetryAfter(refused.headers, 900);
      expect((await again(world, { deviceSecret })).status).toBe(200);
      world.clock.advance(900_000);
      expect((await again(world)).status).toBe(200);
    },
  },
  {
    name: "§9 a fleet with too many wrong codes at registration locks nobody out, and one security event reports it",
    options: { limits: { fleetFailuresPerHour: 2 } },
    async run(world) {
      for (const deviceId of ["gw-1", "gw-2", "gw-3"]) {
        await world.register(deviceId);
        expect((await again(world, { deviceId, claimCode: "WRONG-ONE" })).status).toBe(409);
      }
      expect((await again(world)).status).toBe(200);
      const events = await world.store.securityEvents.list({ after: 0, limit: 100 });
      const spent = events.filter(({ kind }) => kind === "budget.spent");
      expect(spent.map(({ details }) => details["budget"])).toEqual(["register:fleet"]);
    },
  },
  {
    name: "§1 a registration that was never used is deleted after 7 days, and a used one never",
    async run(world) {
      const { token } = await world.register("used");
      expect(await works(world, token)).toBe(true);
      await world.register("gw-1");
      await world.register("swept");
      world.clock.advance(7 * 86_400_000 + 1);
      expect((await again(world, { claimCode: "OTHERCODE" })).status).toBe(201);
      expect(await world.gateway.maintain()).toMatchObject({ droppedRegistrations: 1 });
      const left = await world.store.devices.list({ ownerId: null, after: "", limit: 10 });
      expect(left.map(({ deviceId }) => deviceId)).toEqual(["gw-1", "used"]);
    },
  },
  {
    name: "§1 the 7 days count from the last registration of the device",
    async run(world) {
      const day = 86_400_000;
      for (const deviceId of ["gw-1", "swept"]) await world.register(deviceId);
      world.clock.advance(6 * day);
      for (const deviceId of ["gw-1", "swept"]) await again(world, { deviceId });
      world.clock.advance(7 * day);
      expect(await world.gateway.maintain()).toMatchObject({ droppedRegistrations: 0 });
      expect((await again(world)).status).toBe(200);
      world.clock.advance(1);
      expect(await world.gateway.maintain()).toMatchObject({ droppedRegistrations: 1 });
      const { status, body } = await again(world);
      expect(status).toBe(200);
      world.clock.advance(7 * day + 1);
      expect((await again(world)).status).toBe(201);
      expect((await logIn(world, body.deviceSecret)).status).toBe(401);
    },
  },
  {
    name: "§1 an embedder can refuse a registration",
    options: {
      before: {
        register: ({ deviceId }) =>
          deviceId.startsWith("known-")
            ? undefined
            : { reason: "not_ours", detail: "We did not make this device." },
      },
    },
    async run(world) {
      const refused = await again(world);
      expect([refused.status, refused.body.code]).toEqual([403, "device_not_admitted"]);
      expect(refused.body).toMatchObject({
        reason: "not_ours",
        detail: "We did not make this device.",
      });
      expect((await again(world, { deviceId: "known-1" })).status).toBe(201);
    },
  },
  {
    name: "§1 an embedder can replace the policy, but not for a revoked device",
    options: { registrationPolicy: ({ sameHardware }) => sameHardware },
    async run(world) {
      await world.register();
      expect((await again(world, { claimCode: "WHATEVER1" })).status).toBe(200);
      const operator = await world.signIn("op", { roles: ["operator"] });
      const params = { deviceId: "gw-1" };
      expect((await world.call("revokeDevice", { token: operator, params })).status).toBe(200);
      expect((await again(world)).status).toBe(409);
    },
  },
  {
    name: "§2 a login returns a new secret when the current one is old enough",
    options: { rotateSecretAfterSeconds: 3_600 },
    async run(world) {
      const { deviceSecret } = await world.register();
      expect((await logIn(world, deviceSecret)).body.deviceSecret).toBeUndefined();
      world.clock.advance(3_600_000);
      const { body } = await logIn(world, deviceSecret);
      expect(body.deviceSecret).toMatch(/^[\w-]{43}$/);
      // A delayed login does not drop the secret that a later one returned.
      expect((await logIn(world, deviceSecret)).body.deviceSecret).toBeUndefined();
      world.clock.advance(600_000);
      const last = await logIn(world, deviceSecret);
      expect((await logIn(world, body.deviceSecret)).status).toBe(401);
      expect((await logIn(world, last.body.deviceSecret)).status).toBe(200);
      expect((await logIn(world, deviceSecret)).status).toBe(401);
    },
  },
  ...(["the secret", "the code"] as const).map(
    (proof): WireCase => ({
      name: `§1 a login never drops the credential of a registration with ${proof}, however old it is`,
      options: { rotateSecretAfterSeconds: 3_600 },
      async run(world) {
        const { deviceSecret } = await world.register();
        world.clock.advance(3_600_000);
        const rotated = await logIn(world, deviceSecret);
        const { body } = await again(world, proof === "the secret" ? { deviceSecret } : {});
        expect((await logIn(world, rotated.body.deviceSecret)).status).toBe(401);
        world.clock.advance(600_000);
        expect((await logIn(world, deviceSecret)).body.deviceSecret).toBeUndefined();
        expect((await logIn(world, body.deviceSecret)).status).toBe(200);
        world.clock.advance(3_600_000);
        expect((await logIn(world, body.deviceSecret)).body.deviceSecret).toMatch(/^[\w-]{43}$/);
      },
    }),
  ),
];
