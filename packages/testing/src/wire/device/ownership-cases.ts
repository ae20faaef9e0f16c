import { expect } from "vitest";
import { claimFor, listIds, release } from "../world/owner-world.js";
import type { WireCase } from "../world/wire-world.js";

const params = { deviceId: "gw-1" };
const minute = 60_000;

/** Cases for §7 and §8: what an owner can see and do. */
export const ownershipCases: readonly WireCase[] = [
  {
    name: "§7 a device is visible to its owner and to operators, and 404 for others",
    async run(world) {
      const { call, register, signIn } = world;
      await register();
      const alice = await claimFor(world, "alice");
      const bob = await signIn("bob");
      const operator = await signIn("op", { roles: ["operator"] });
      expect(await listIds(world, alice)).toEqual(["gw-1"]);
      expect(await listIds(world, bob)).toEqual([]);
      expect(await listIds(world, operator)).toEqual(["gw-1"]);
      const headers = { "x-request-id": "same" };
      const hidden = await call("readDevice", { token: bob, params, headers });
      const unknown = { deviceId: "unknown" };
      const missing = await call("readDevice", { token: bob, params: unknown, headers });
      expect([hidden.status, hidden.body.code]).toEqual([404, "device_not_found"]);
      expect(hidden.body).toEqual(missing.body);
      const seen = await call("readDevice", { token: operator, params });
      expect([seen.status, seen.body.device.isOwner]).toEqual([200, false]);
    },
  },
  {
    name: "§7 list and detail report the state of a device",
    options: { summaryMetrics: ["soc", "bms.voltage", "missing"] },
    async run(world) {
      const { call, register, clock } = world;
      const { token } = await register();
      const alice = await claimFor(world, "alice");
      const show = async () => (await call("readDevice", { token: alice, params })).body;
      expect(await show()).toMatchObject({
        device: { status: "offline", lastSeen: null, secondsSinceLastTelemetry: null },
        telemetry: {},
      });
      const sentAt = new Date(clock.now()).toISOString();
      await call("sendTelemetry", { token, body: { soc: 64, bms: { voltage: 53.2 }, note: "ok" } });
      clock.advance(50_000);
      expect(await show()).toEqual({
        device: {
          soc: 64,
          "bms.voltage": 53.2,
          id: "gw-1",
          name: "gw-1",
          status: "online",
          isOwner: true,
          targetHardware: "esp32:devkit-v1",
          otaChannel: "stable",
          firmwareVersion: "0.1.10",
          latestFirmwareVersion: null,
          latestFirmwareReleasedAt: null,
          updateAvailable: false,
          lastSeen: sentAt,
          claimedAt: sentAt,
          expectedIntervalSeconds: 60,
          secondsSinceLastTelemetry: 50,
          secondsUntilNextExpectedCheckIn: 10,
        },
        telemetry: { soc: 64, bms: { voltage: 53.2 }, note: "ok", timestamp: sentAt },
      });
      const list = (await call("listDevices", { token: alice })).body;
      expect(list).toEqual({ devices: [(await show()).device], nextCursor: null });
      clock.advance(5 * minute);
      expect((await show()).device.status).toBe("offline");
      await call("readConfig", { token });
      expect((await show()).device.status).toBe("online");
    },
  },
  {
    name: "§0 lists have pages with an opaque cursor, and a limit above the maximum is 400",
    async run({ call, register, signIn }) {
      for (const id of ["c", "a", "e", "b", "d"]) await register(id);
      const token = await signIn("op", { roles: ["operator"] });
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query = { limit: "2", ...(cursor !== null && { cursor }) };
        const { body } = await call("listDevices", { token, query });
        seen.push(...body.devices.map(({ id }: { id: string }) => id));
        cursor = body.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual(["a", "b", "c", "d", "e"]);
      for (const query of [{ limit: "501" }, { limit: "0" }, { limit: "x" }, { cursor: "?" }]) {
        expect([query, (await call("listDevices", { token, query })).status]).toEqual([query, 400]);
      }
    },
  },
  {
    name: "§8 the owner can name a device, and an operator who is not the owner cannot",
    async run(world) {
      const { call, register, signIn } = world;
      await register();
      const alice = await claimFor(world, "alice");
      for (const [route, name] of [
        ["renameDevice", "Boat  "],
        ["patchDevice", "Bötchen ⛵"],
      ] as const) {
        const { status, body } = await call(route, { token: alice, params, body: { name } });
        expect([status, body.device.name]).toEqual([200, name.trim()]);
      }
      const read = await call("readDevice", { token: alice, params });
      expect(read.body.device.name).toBe("Bötchen ⛵");
      const bad = await call("renameDevice", { token: alice, params, body: { name: " " } });
      expect(bad.status).toBe(400);
      const operator = await signIn("op", { roles: ["operator"] });
      const refused = await call("renameDevice", { token: operator, params, body: { name: "x" } });
      expect([refused.status, refused.body.code]).toEqual([403, "not_owner"]);
    },
  },
  {
    name: "§8 the owner can change the configuration, and If-Match detects a concurrent change",
    async run(world) {
      const { call, register } = world;
      const { token } = await register();
      const alice = await claimFor(world, "alice");
      const before = await call("readDeviceConfig", { token: alice, params });
      expect(before.body).toMatchObject({
        overrides: {},
        config: { telemetryIntervalSeconds: 60 },
      });
      const etag = before.headers.get("etag") ?? "";
      const put = (body: object, headers = {}) =>
        call("changeDeviceConfig", { token: alice, params, body, headers });

      const changed = await put({ telemetryIntervalSeconds: 30 }, { "if-match": etag });
      expect(changed.body).toMatchObject({
        overrides: { telemetryIntervalSeconds: 30 },
        config: { telemetryIntervalSeconds: 30, otaEnabled: true },
      });
      const stale = await put({ otaEnabled: false }, { "if-match": etag });
      expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"]);
      // Proxies that compress responses weaken ETags.
      const staleWeak = await put({ otaEnabled: false }, { "if-match": `W/${etag}` });
      expect(staleWeak.status).toBe(412);
      const current = { "if-match": `W/${changed.headers.get("etag")}` };
      expect((await put({}, current)).status).toBe(200);
      const merged = await put({ otaEnabled: false });
      expect(merged.body.overrides).toEqual({ telemetryIntervalSeconds: 30, otaEnabled: false });
      expect((await call("readConfig", { token })).body).toEqual(merged.body.config);

      const invalid = await put({ telemetryIntervalSeconds: 1 });
      expect([invalid.status, invalid.body.errors[0].path]).toEqual([
        400,
        "telemetryIntervalSeconds",
      ]);
      expect((await put({ unknownSetting: 1 })).status).toBe(400);
    },
  },
  {
    name: "§8 an owner reads when settings were changed, and nothing from a former owner or an erased device",
    async run(world) {
      const { call, clock, register, signIn } = world;
      const changesFor = async (token: string, query = {}) =>
        (await call("readConfigHistory", { token, params, query })).body;
      const set = (token: string, body: object) =>
        call("changeDeviceConfig", { token, params, body });
      await register();
      const alice = await claimFor(world, "alice");
      const first = new Date(clock.now()).toISOString();
      await set(alice, { telemetryIntervalSeconds: 30, otaEnabled: true });
      clock.advance(1_000);
      await set(alice, { telemetryIntervalSeconds: null });
      const { changes, nextCursor } = await changesFor(alice, { limit: "1" });
      expect(changes).toMatchObject([{ settings: ["telemetryIntervalSeconds"] }]);
      const older = { changedAt: first, settings: ["telemetryIntervalSeconds", "otaEnabled"] };
      const rest = await changesFor(alice, { cursor: nextCursor });
      expect(rest).toMatchObject({ changes: [older], nextCursor: null });

      clock.advance(1_000);
      await release(world, alice);
      clock.advance(1_000);
      const bob = await claimFor(world, "bob");
      expect((await changesFor(bob)).changes).toEqual([]);
      const operator = await signIn("op", { roles: ["operator"] });
      expect((await changesFor(operator)).changes).toHaveLength(2);
      expect((await changesFor(alice)).code).toBe("device_not_found");
      clock.advance(1_000);
      await call("eraseDevice", { token: operator, params });
      await register();
      expect((await changesFor(await claimFor(world, "carol"))).changes).toEqual([]);
    },
  },
];
