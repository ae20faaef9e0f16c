import { expect } from "vitest";
import { claimFor, listIds, release } from "../world/owner-world.js";
import { sampleRegistration, type WireCase } from "../world/wire-world.js";

const params = { deviceId: "gw-1" };
const minute = 60_000;

/** Cases for §7 and §8: releases of devices, changes of owner, and re-enrolment windows. */
export const ownerChangeCases: readonly WireCase[] = [
  {
    name: "§8 releasing a device ends its tokens, keeps its secret and clears name and configuration",
    async run(world) {
      const { call, register, signIn } = world;
      const { token, deviceSecret } = await register();
      const alice = await claimFor(world, "alice");
      await call("renameDevice", { token: alice, params, body: { name: "Boat" } });
      const body = { telemetryIntervalSeconds: 30 };
      await call("changeDeviceConfig", { token: alice, params, body });
      expect((await call("readConfig", { token })).status).toBe(200);

      const bob = await signIn("bob");
      expect((await release(world, bob)).status).toBe(404);
      expect((await release(world, alice)).status).toBe(204);
      expect((await release(world, alice)).status).toBe(404);
      expect((await call("readConfig", { token })).status).toBe(401);
      expect(await listIds(world, alice)).toEqual([]);

      const login = await call("loginDevice", { body: { deviceId: "gw-1", deviceSecret } });
      expect(login.body.config.telemetryIntervalSeconds).toBe(60);
      await claimFor(world, "bob");
      const seen = (await call("readDevice", { token: bob, params })).body;
      expect(seen.device.name).toBe("gw-1");
    },
  },
  {
    name: "§7 after a change of owner the new one sees only what was measured and received since",
    async run(world) {
      const { call, register, clock } = world;
      const { token, deviceSecret } = await register();
      await call("sendTelemetry", { token, body: { where: "at alice's" } });
      const alice = await claimFor(world, "alice");
      const show = async (as: string) => (await call("readDevice", { token: as, params })).body;
      expect((await show(alice)).telemetry.where).toBe("at alice's");

      clock.advance(minute);
      await release(world, alice);
      clock.advance(minute);
      const bob = await claimFor(world, "bob");
      expect(await show(bob)).toMatchObject({
        telemetry: {},
        device: { secondsSinceLastTelemetry: null, lastSeen: null, status: "offline" },
      });
      const fresh = (await call("loginDevice", { body: { deviceId: "gw-1", deviceSecret } })).body;
      const late = { where: "still at alice's", timestamp: clock.now() - minute };
      await call("sendTelemetry", { token: fresh.token, body: late });
      expect((await show(bob)).telemetry).toEqual({});
      await call("sendTelemetry", { token: fresh.token, body: { where: "at bob's" } });
      expect((await show(bob)).telemetry.where).toBe("at bob's");
    },
  },
  {
    name: "§8 a former owner who claims again counts as a new owner",
    async run(world) {
      const { call, register, clock } = world;
      const { token } = await register();
      await call("sendTelemetry", { token, body: { a: 1 } });
      const alice = await claimFor(world, "alice");
      await release(world, alice);
      clock.advance(1);
      await claimFor(world, "alice");
      expect((await call("readDevice", { token: alice, params })).body.telemetry).toEqual({});
    },
  },
  {
    name: "§8 with freshCodeAfterRelease a used code is invalid until another is registered",
    options: { freshCodeAfterRelease: true },
    async run(world) {
      const { call, register } = world;
      const { deviceSecret } = await register();
      const alice = await claimFor(world, "alice");
      await release(world, alice);
      const claim = async (claimCode: string) =>
        (await call("claimDevice", { token: alice, body: { deviceId: "gw-1", claimCode } })).status;
      expect(await claim("ABCD-EFGH")).toBe(401);
      const again = (changes: object) =>
        call("registerDevice", { body: { ...sampleRegistration(), ...changes } });
      expect((await again({})).status).toBe(409);
      const same = await again({ deviceSecret });
      expect(same.status).toBe(200);
      expect(await claim("ABCD-EFGH")).toBe(401);
      const other = { deviceSecret: same.body.deviceSecret, claimCode: "FRESHCODE" };
      expect((await again(other)).status).toBe(200);
      expect(await claim("FRESHCODE")).toBe(200);
    },
  },
  {
    name: "§8 a re-enrolment window lets an owned device register again, once, for 15 minutes",
    async run(world) {
      const { call, register, signIn, clock } = world;
      await register();
      const alice = await claimFor(world, "alice");
      const again = async (claimCode = "ABCD-EFGH") =>
        (await call("registerDevice", { body: { ...sampleRegistration(), claimCode } })).status;
      const open = (token: string) => call("openReEnrolment", { token, params });

      expect(await again()).toBe(409);
      const stranger = await signIn("bob");
      expect((await open(stranger)).status).toBe(404);
      const { body } = await open(alice);
      expect(body.expiresAt).toBe(new Date(clock.now() + 15 * minute).toISOString());
      expect(await again("WRONG-ONE")).toBe(409);
      expect(await again()).toBe(200);
      expect(await again()).toBe(409);
      expect(await listIds(world, alice)).toEqual(["gw-1"]);

      const operator = await signIn("op", { roles: ["operator"] });
      expect((await open(operator)).status).toBe(200);
      clock.advance(15 * minute);
      expect(await again()).toBe(409);
    },
  },
  {
    name: "§8 a claim closes a re-enrolment window that was opened before",
    async run(world) {
      const { call, register, signIn } = world;
      await register();
      const operator = await signIn("op", { roles: ["operator"] });
      expect((await call("openReEnrolment", { token: operator, params })).status).toBe(200);
      await claimFor(world, "alice");
      expect((await call("registerDevice", { body: sampleRegistration() })).status).toBe(409);
    },
  },
];
