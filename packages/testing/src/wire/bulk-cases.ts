import { expect } from "vitest";
import { expectRetryAfter } from "./world/expect-retry-after.js";
import type { WireCase, WireWorld } from "./world/wire-world.js";

const ids = ["gw-1", "gw-2", "unknown", "gw-1"];

async function openBulk({ call, register, signIn }: WireWorld) {
  const token = await signIn("op", { roles: ["operator"] });
  const devices = [await register("gw-1"), await register("gw-2")] as const;
  return {
    token,
    devices,
    change: (action: object, deviceIds: readonly string[] = ids) =>
      call("changeDevices", { token, body: { deviceIds, action } }),
    inspect: async (deviceId: string) =>
      (await call("inspectDevice", { token, params: { deviceId } })).body.device,
  };
}

/** Cases for §8: bulk changes. */
export const bulkCases: readonly WireCase[] = [
  {
    name: "§8 an operator makes the same change to many devices, and gets a verdict for each",
    async run(world) {
      const { call } = world;
      const { change, inspect, devices, token } = await openBulk(world);
      const target = { otaChannel: "beta", pinnedVersion: "1.2.0" };
      const { status, body } = await change({ kind: "set_target", target });
      expect([status, body.verdicts]).toEqual([
        200,
        [
          { deviceId: "gw-1", code: "done" },
          { deviceId: "gw-2", code: "done" },
          {
            ...{ deviceId: "unknown", code: "device_not_found" },
            detail: expect.stringContaining("device"),
          },
        ],
      ]);
      for (const id of ["gw-1", "gw-2"]) expect(await inspect(id)).toMatchObject(target);

      const codes = async (action: object) =>
        (await change(action)).body.verdicts.map(({ code }: { code: string }) => code).join(" ");
      const done = "done done device_not_found";
      const interval = { telemetryIntervalSeconds: 30 };
      expect(await codes({ kind: "configure", patch: interval })).toBe(done);
      const config = await call("readConfig", { token: devices[1].token });
      expect(config.body).toMatchObject(interval);
      expect(await codes({ kind: "configure", patch: { telemetryIntervalSeconds: 1 } })).toBe(
        "invalid_request invalid_request device_not_found",
      );
      expect(await codes({ kind: "clear_update_blocks" })).toBe(done);
      expect(await codes({ kind: "revoke" })).toBe(done);
      expect((await call("readConfig", { token: devices[0].token })).status).toBe(401);
      expect(await codes({ kind: "reinstate" })).toBe(done);
      expect((await inspect("gw-2")).revokedAt).toBeNull();

      const { events } = (await call("readAuditTrail", { token, query: { order: "newest" } })).body;
      const kinds = events.map(
        ({ kind, actor }: { kind: string; actor: string }) => `${kind} ${actor}`,
      );
      expect(kinds.filter((one: string) => one === "device.revoked op")).toHaveLength(2);
    },
  },
  {
    name: "§8 a bulk request of a customer, for more than 500 devices or with an unknown action is refused",
    async run(world) {
      const { change, devices } = await openBulk(world);
      const many = Array.from({ length: 501 }, (_, n) => `gw-${n}`);
      for (const [action, deviceIds] of [
        [{ kind: "revoke" }, many],
        [{ kind: "revoke" }, []],
        [{ kind: "revoke" }, ["a b"]],
        [{ kind: "erase" }, ["gw-1"]],
        [{ kind: "set_target", target: {} }, ["gw-1"]],
      ] as const) {
        expect((await change(action, deviceIds)).status).toBe(400);
      }
      const alice = await world.signIn("alice");
      const body = { deviceIds: ["gw-1"], action: { kind: "revoke" } };
      expect((await world.call("changeDevices", { token: alice, body })).status).toBe(403);
      expect((await world.call("readConfig", { token: devices[0].token })).status).toBe(200);
    },
  },
  {
    name: "§8 a bulk patch is as small as one device's patch, and the detail of a verdict is short",
    async run(world) {
      const { call } = world;
      const { change, token } = await openBulk(world);
      const withKeys = (count: number) => ({
        kind: "configure",
        patch: Object.fromEntries(Array.from({ length: count }, (_, n) => [`unknown${n}`, 1])),
      });
      const large = await change(withKeys(1_400));
      expect([large.status, large.body.code]).toEqual([413, "payload_too_large"]);
      const deep = `${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}`;
      const raw = `{"deviceIds":["gw-1"],"action":{"kind":"configure","patch":${deep}}}`;
      expect((await call("changeDevices", { token, raw })).status).toBe(400);
      const { status, body } = await change(withKeys(1_000));
      expect([status, body.verdicts[0].code]).toEqual([200, "invalid_request"]);
      expect(body.verdicts[0].detail).toContain("unknown0");
      expect(body.verdicts[0].detail.length).toBeLessThanOrEqual(512);
    },
  },
  {
    name: "§9 a bulk request draws a dashboard token for each ten devices",
    options: { limits: { dashboardPerMinute: 80 } },
    async run(world) {
      const { change } = await openBulk(world);
      const many = Array.from({ length: 500 }, (_, n) => `gw-${n}`);
      expect((await change({ kind: "clear_update_blocks" }, many)).status).toBe(200);
      const refused = await change({ kind: "clear_update_blocks" }, many);
      expect([refused.status, refused.body.code]).toEqual([429, "too_many_requests"]);
      expectRetryAfter(refused.headers, 3);
    },
  },
];
