import { expect } from "vitest";
import { claimFor } from "../world/owner-world.js";
import type { WireCase, WireWorld } from "../world/wire-world.js";

const params = { deviceId: "gw-1" };

const tooMany = { values: Array.from({ length: 300 }, (_, n) => n) };

/** Returns code and count of each entry that a user sees. */
async function read({ call }: WireWorld, token: string) {
  const { status, body } = await call("readRefusals", { token, params });
  expect(status).toBe(200);
  return body.refusals.map(({ code, count }: { code: string; count: number }) => [code, count]);
}

/** Cases for §7: why telemetry was refused. */
export const refusalCases: readonly WireCase[] = [
  {
    name: "§7 the owner sees why records and requests of a device were refused, and how often",
    async run(world) {
      const { call, register, clock } = world;
      const { token } = await register();
      const alice = await claimFor(world, "alice");
      const shown = async () => (await call("readDevice", { token: alice, params })).body.device;
      expect(await read(world, alice)).toEqual([]);
      expect(await shown()).not.toHaveProperty("refusedAt");

      await call("sendTelemetry", { token, body: [tooMany, { a: 1 }, tooMany] });
      clock.advance(1_000);
      expect((await call("sendTelemetry", { token, raw: "{" })).status).toBe(400);
      clock.advance(1_000);
      await call("sendTelemetry", { token, body: 5 });
      await call("sendTelemetry", { token, body: { a: 2 } });
      const { body } = await call("readRefusals", { token: alice, params });
      const at = (ago: number) => new Date(clock.now() - ago).toISOString();
      expect(body.refusals).toEqual([
        {
          ...{ code: "invalid_request", count: 1, firstAt: at(0), lastAt: at(0) },
          message: expect.stringContaining("Send a record as a JSON object"),
        },
        expect.objectContaining({ code: "malformed_json", count: 1, lastAt: at(1_000) }),
        {
          ...{ code: "too_many_metrics", count: 2, firstAt: at(2_000), lastAt: at(2_000) },
          message: expect.stringContaining("256"),
        },
      ]);
      expect((await shown()).refusedAt).toBe(at(0));
      const [listed] = (await call("listDevices", { token: alice })).body.devices;
      expect(listed.refusedAt).toBe(at(0));
      clock.advance(24 * 3_600_000 + 1);
      expect(await shown()).not.toHaveProperty("refusedAt");
      expect((await read(world, alice)).length).toBe(3);
    },
  },
  {
    name: "§7 a later owner does not see what was refused in the time of an earlier one",
    async run(world) {
      const { call, register, clock, signIn } = world;
      const { deviceSecret, ...first } = await register();
      const refuse = async (token: string) => {
        clock.advance(1_000);
        await call("sendTelemetry", { token, body: tooMany });
      };
      await refuse(first.token);
      const alice = await claimFor(world, "alice");
      expect(await read(world, alice), "the first owner sees all").toEqual([
        ["too_many_metrics", 1],
      ]);
      await refuse(first.token);
      await call("releaseDevice", { token: alice, params });
      clock.advance(1_000);
      const bob = await claimFor(world, "bob");
      expect((await call("readRefusals", { token: alice, params })).status).toBe(404);
      expect(await read(world, bob)).toEqual([]);
      const login = await call("loginDevice", { body: { ...params, deviceSecret } });
      await refuse(login.body.token);
      expect(await read(world, bob)).toEqual([["too_many_metrics", 1]]);
      const operator = await signIn("op", { roles: ["operator"] });
      expect(await read(world, operator)).toEqual([["too_many_metrics", 1]]);
    },
  },
];
