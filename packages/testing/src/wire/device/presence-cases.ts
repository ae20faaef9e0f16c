import type { Throttle } from "@device-gateway/core";
import { expect, vi } from "vitest";
import { otaOptions } from "../world/ota-world.js";
import { claimFor } from "../world/owner-world.js";
import {
  sampleRegistration,
  type WireCase,
  type WireRequest,
  type WireWorld,
} from "../world/wire-world.js";

const params = { deviceId: "gw-1" };
const minute = 60_000;

/** Refuses requests that cost more than one record. */
const refuseMany: Throttle = {
  take: ({ key, cost }) =>
    key.startsWith("metrics:") && cost > 16
      ? { kind: "empty", retryAfterSeconds: 1 }
      : { kind: "taken" },
  giveBack: async () => {},
};

const readOf = async ({ call }: WireWorld, token: string) =>
  (await call("readDevice", { token, params })).body.device;

/** Changes the first character of the signature. */
const withOtherSignature = (token: string) =>
  token.replace(/\.(.)([^.]*)$/, (_, first, rest) => `.${first === "A" ? "B" : "A"}${rest}`);

/** Cases for §7: `status` is `online` after any authenticated request. A slow store may record it later. */
export const presenceCases: readonly WireCase[] = [
  {
    name: "§7 any request of a device updates lastSeen, even a refused or repeated one",
    options: { ...otaOptions, throttle: refuseMany },
    async run(world) {
      const { call, register, clock } = world;
      const { token } = await register();
      const alice = await claimFor(world, "alice");
      const keyed = { headers: { "idempotency-key": "key" } };
      const requests: readonly [status: number, request: WireRequest][] = [
        [200, { ...keyed, body: { a: 1 } }],
        [200, { ...keyed, body: { a: 1 } }],
        [409, { ...keyed, body: { a: 2 } }],
        [200, { body: [] }],
        [200, { body: ["no record"] }],
        [400, { raw: "{bad" }],
        [400, { body: 1 }],
        [413, { raw: `"${"x".repeat(300_000)}"` }],
        [415, { raw: "{}", headers: { "content-type": "text/plain" } }],
        [429, { body: { metrics: Array.from({ length: 17 }, (_, n) => n) } }],
      ];
      for (const [status, request] of requests) {
        clock.advance(10 * minute);
        expect((await readOf(world, alice)).status).toBe("offline");
        const reply = await call("sendTelemetry", { ...request, token });
        expect([reply.status, request]).toEqual([status, request]);
        const lastSeen = new Date(clock.now()).toISOString();
        const read = async () => [request, await readOf(world, alice)];
        await expect.poll(read).toMatchObject([request, { status: "online", lastSeen }]);
      }
      expect((await readOf(world, alice)).secondsSinceLastTelemetry).toBe(90 * 60);
      const others = [
        () => call("readConfig", { token }),
        () => call("readLatestFirmware", { token }),
        () => call("downloadFirmware", { token, params: { releaseId: "1" } }),
        () => call("reportUpdate", { token, body: {} }),
        () => call("reportUpdate", { token, body: { state: "failed", version: "1.0.0" } }),
        () => call("answerUpdateCommand", { token, body: { requestId: "x", status: "ok" } }),
      ];
      for (const send of others) {
        clock.advance(10 * minute);
        await send();
        const lastSeen = new Date(clock.now()).toISOString();
        await expect.poll(() => readOf(world, alice)).toMatchObject({ status: "online", lastSeen });
      }
    },
  },
  {
    name: "§7 an invalid token updates no device's lastSeen",
    async run(world) {
      const { call, register, clock, store } = world;
      const { token: ended, deviceSecret } = await register();
      const alice = await claimFor(world, "alice");
      // Registering again rotates the credential, and the first use of the new token ends the former one.
      const again = { ...sampleRegistration(), deviceSecret };
      const { token } = (await call("registerDevice", { body: again })).body;
      expect((await call("sendTelemetry", { token, body: { a: 1 } })).status).toBe(200);
      const lastSeen = new Date(clock.now()).toISOString();
      clock.advance(10 * minute);
      const recordSeen = vi.spyOn(store.devices, "recordSeen");
      for (const invalid of ["none", ended, withOtherSignature(token)]) {
        for (const request of [{ body: { a: 2 } }, { raw: "{bad" }])
          expect((await call("sendTelemetry", { ...request, token: invalid })).status).toBe(401);
        expect((await call("readConfig", { token: invalid })).status).toBe(401);
      }
      expect(recordSeen).not.toHaveBeenCalled();
      expect(await readOf(world, alice)).toMatchObject({ status: "offline", lastSeen });
    },
  },
  {
    name: "§7 telemetry records lastSeen with its records, and other requests record it once a minute",
    async run(world) {
      const { call, register, clock, store } = world;
      const { token } = await register();
      const recordSeen = vi.spyOn(store.devices, "recordSeen");
      for (let n = 0; n < 3; n++) {
        clock.advance(minute);
        await call("sendTelemetry", { token, body: { n } });
        await call("readConfig", { token });
      }
      expect(recordSeen).not.toHaveBeenCalled();
      clock.advance(minute);
      for (let n = 0; n < 3; n++) await call("sendTelemetry", { token, raw: "{bad" });
      expect(recordSeen).toHaveBeenCalledTimes(1);
    },
  },
  {
    name: "§7 a new owner sees at once that the device is online",
    async run(world) {
      const { call, register, clock } = world;
      const { token, deviceSecret } = await register();
      const alice = await claimFor(world, "alice");
      await call("readConfig", { token });
      clock.advance(10_000);
      await call("releaseDevice", { token: alice, params });
      const body = { deviceId: "gw-1", deviceSecret };
      const fresh = (await call("loginDevice", { body })).body;
      await call("readConfig", { token: fresh.token });
      clock.advance(1_000);
      const bob = await claimFor(world, "bob");
      expect(await readOf(world, bob)).toMatchObject({ status: "offline", lastSeen: null });
      clock.advance(1_000);
      await call("readConfig", { token: fresh.token });
      const lastSeen = new Date(clock.now()).toISOString();
      await expect.poll(() => readOf(world, bob)).toMatchObject({ status: "online", lastSeen });
    },
  },
];
