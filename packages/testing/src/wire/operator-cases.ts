import { expect } from "vitest";
import { sampleRegistration, type WireCase, type WireWorld } from "./world/wire-world.js";

const params = { deviceId: "gw-1" };
const asOperator = ({ signIn }: WireWorld) => signIn("op", { roles: ["operator"] });

/** Cases for §8: operators. */
export const operatorCases: readonly WireCase[] = [
  {
    name: "§8 operator routes are 401 without a user token and 403 for a customer",
    async run(world) {
      const { call, register, signIn } = world;
      const device = await register();
      const customer = await signIn("alice", { roles: ["admin"] });
      for (const name of ["listAllDevices", "readAuditTrail"] as const) {
        expect((await call(name)).status).toBe(401);
        expect((await call(name, { token: device.token })).status).toBe(401);
        const refused = await call(name, { token: customer });
        expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
        expect((await call(name, { token: await asOperator(world) })).status).toBe(200);
      }
    },
  },
  {
    name: "§8 a revoked device is refused everywhere, and a reinstated one can log in again",
    async run(world) {
      const { call, register, signIn, clock } = world;
      const { token, deviceSecret } = await register();
      const operator = await asOperator(world);
      expect((await call("readConfig", { token })).status).toBe(200);
      const revokedAt = new Date(clock.now()).toISOString();
      const revoke = () => call("revokeDevice", { token: operator, params });
      expect((await revoke()).body).toEqual({ deviceId: "gw-1", revokedAt });
      clock.advance(1_000);
      expect((await revoke()).body.revokedAt).toBe(revokedAt);
      const shown = async () => (await call("readDevice", { token: operator, params })).body.device;
      expect((await shown()).revokedAt).toBe(revokedAt);

      const login = () => call("loginDevice", { body: { deviceId: "gw-1", deviceSecret } });
      expect((await call("readConfig", { token })).status).toBe(401);
      expect((await login()).status).toBe(401);
      const again = { ...sampleRegistration(), deviceSecret };
      expect((await call("registerDevice", { body: again })).status).toBe(409);
      const alice = await signIn("alice");
      const claim = () =>
        call("claimDevice", { token: alice, body: { ...params, claimCode: "ABCD-EFGH" } });
      const refused = await claim();
      expect([refused.status, refused.body.code]).toEqual([401, "invalid_claim"]);

      expect((await call("reinstateDevice", { token: operator, params })).status).toBe(200);
      expect(await shown()).not.toHaveProperty("revokedAt");
      expect((await call("readConfig", { token })).status).toBe(401);
      const { body } = await login();
      expect((await call("readConfig", { token: body.token })).status).toBe(200);
      expect((await claim()).status).toBe(200);
    },
  },
  {
    name: "§8 erasing deletes the device and its data, and frees or blocks the id as requested",
    async run(world) {
      const { call, register, store, clock } = world;
      const operator = await asOperator(world);
      const erase = async (block: string) =>
        (await call("eraseDevice", { token: operator, params, query: { block } })).status;
      const { token } = await register();
      await call("sendTelemetry", { token, body: { a: 1 } });
      expect(await erase("false")).toBe(204);
      expect(await store.telemetry.read({ deviceId: "gw-1", after: 0, limit: 9 })).toEqual([]);
      expect((await call("sendTelemetry", { token, body: { a: 1 } })).status).toBe(401);
      expect(await erase("false")).toBe(404);

      clock.advance(1);
      const again = await register();
      expect((await call("readConfig", { token })).status).toBe(401);
      expect((await call("readConfig", { token: again.token })).status).toBe(200);
      expect(await erase("true")).toBe(204);
      const refused = await call("registerDevice", { body: sampleRegistration() });
      expect([refused.status, refused.body.code]).toEqual([409, "device_already_registered"]);
    },
  },
  {
    name: "§8 operators can list and inspect every device, and an unknown one is 404",
    async run(world) {
      const { call, register, signIn } = world;
      await register();
      const token = await asOperator(world);
      const { body } = await call("listAllDevices", { token });
      expect(body.devices).toEqual([
        expect.objectContaining({ id: "gw-1", ownerId: null, firstUsedAt: null, revokedAt: null }),
      ]);
      const target = { otaChannel: "beta", pinnedVersion: "1.2.0", benchMode: true };
      await call("setOtaTarget", { token, params, body: target });
      await call("revokeDevice", { token, params });
      const inspected = await call("inspectDevice", { token, params });
      expect(inspected.body.device).toMatchObject({
        ...{ id: "gw-1", ...target },
        revokedAt: expect.any(String),
      });
      expect((await call("inspectDevice", { token: await signIn("alice"), params })).status).toBe(
        403,
      );
      const unknown = { token, params: { deviceId: "unknown" } };
      for (const name of [
        "inspectDevice",
        "revokeDevice",
        "reinstateDevice",
        "eraseDevice",
        "clearUpdateBlocks",
      ] as const) {
        expect((await call(name, unknown)).status).toBe(404);
      }
    },
  },
  {
    name: "§8 the audit trail has every transition, in pages and as NDJSON",
    async run(world) {
      const { call, register, signIn } = world;
      await register();
      const alice = await signIn("alice");
      await call("claimDevice", { token: alice, body: { ...params, claimCode: "ABCD-EFGH" } });
      await call("renameDevice", { token: alice, params, body: { name: "Boat" } });
      await call("releaseDevice", { token: alice, params });
      const token = await asOperator(world);
      const walk = async (order: "oldest" | "newest") => {
        const kinds: string[] = [];
        let cursor: string | null = null;
        do {
          const query = { order, limit: "3", ...(cursor !== null && { cursor }) };
          const { body } = await call("readAuditTrail", { token, query });
          kinds.push(...body.events.map(({ kind }: { kind: string }) => kind));
          cursor = body.nextCursor;
        } while (cursor !== null);
        return kinds;
      };
      const kinds = await walk("oldest");
      expect(kinds).toEqual([
        "device.registered",
        "device.claimed",
        "device.renamed",
        "device.released",
      ]);
      expect(await walk("newest")).toEqual(kinds.toReversed());
      const filtered = async (query: Record<string, string>) =>
        (await call("readAuditTrail", { token, query })).body.events.length;
      expect(await filtered({ actor: "alice" })).toBe(3);
      expect(await filtered({ deviceId: "gw-1", actor: "device" })).toBe(1);
      expect(await filtered({ deviceId: "gw-2" })).toBe(0);
      const readAll = async (query: Record<string, string>) => {
        const { body } = await call("readAuditTrail", {
          token,
          query: { format: "ndjson", ...query },
        });
        const lines: string[] = body.trimEnd().split("\n");
        return lines.map((line) => JSON.parse(line).kind);
      };
      expect(await readAll({})).toEqual(kinds);
      expect(await readAll({ order: "newest" })).toEqual(kinds.toReversed());
      const bad = await call("readAuditTrail", { token, query: { cursor: "x" } });
      expect(bad.status).toBe(400);
      const claims = await call("readAuditTrail", {
        token,
        query: { kinds: "device.released, device.claimed" },
      });
      expect(claims.body.events).toMatchObject([
        { kind: "device.claimed" },
        { kind: "device.released" },
      ]);
      const unknown = await call("readAuditTrail", { token, query: { kinds: "device.sold" } });
      expect(unknown.body).toMatchObject({ errors: [{ path: "kinds" }] });
    },
  },
];
