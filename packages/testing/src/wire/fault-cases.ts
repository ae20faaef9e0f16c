import { SlowHashBusyError } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { expect } from "vitest";
import { sampleRegistration, type WireCase } from "./world/wire-world.js";

/** Cases for §0 and §9: responses when the store, the hash or the gateway itself fails. */
export const faultCases: readonly WireCase[] = [
  {
    name: "§0 an unavailable store is 503 with Retry-After, also for /readyz, while /healthz is 200",
    async run({ call, register, store, clock }) {
      const { token } = await register();
      const down = async () => {
        throw new StoreUnavailableError("secret detail");
      };
      Object.assign(store.devices, { find: down });
      Object.assign(store, { ping: down });
      Object.assign(store.changes, { since: down });
      // The cached device expires.
      clock.advance(1_000);
      for (const name of ["readConfig", "readReadiness"] as const) {
        const { status, headers, body } = await call(name, { token });
        expect([status, body.code]).toEqual([503, "unavailable"]);
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      }
      expect((await call("readLiveness")).status).toBe(200);
    },
  },
  {
    name: "§0 a 500 never contains the cause",
    async run({ call, register, store }) {
      const { token } = await register();
      const broken = async () => {
        throw new Error("secret detail");
      };
      Object.assign(store.devices, { find: broken });
      const { status, body } = await call("readConfig", { token });
      expect([status, body.code]).toEqual([500, "internal"]);
      expect(JSON.stringify(body)).not.toContain("secret detail");
    },
  },
  {
    name: "§9 a full queue of slow hashes is 503",
    options: {
      slowHash: {
        derive: async () => {
          throw new SlowHashBusyError("full");
        },
      },
    },
    async run({ call, store }) {
      const refused = await call("registerDevice", { body: sampleRegistration() });
      expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await store.devices.find("gw-1")).toBeNull();
    },
  },
];
