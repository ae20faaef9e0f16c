import { expect } from "vitest";
import { expectRetryAfter } from "../world/expect-retry-after.js";
import { serveInProcess } from "../world/serve-in-process.js";
import type { WireCase } from "../world/wire-world.js";

/** Cases for the limits of telemetry (§9). */
export const telemetryLimitCases: readonly WireCase[] = [
  {
    name: "§9 a device has 120 telemetry requests a minute",
    async run({ call, register, clock, gateway }) {
      const { token } = await register();
      const other = await register("gw-2");
      const send = async (as: string) => call("sendTelemetry", { body: { a: 1 }, token: as });
      // Requests in process cost less than over HTTP.
      const { fetch } = await serveInProcess(gateway);
      const first = {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: '{"a":1}',
      };
      for (let i = 0; i < 119; i++) {
        expect((await fetch("/api/v1/telemetry", first)).status).toBe(200);
      }
      expect((await send(token)).status).toBe(200);
      const refused = await send(token);
      expect(refused.status).toBe(429);
      expectRetryAfter(refused.headers, 1);
      expect((await send(other.token)).status).toBe(200);
      clock.advance(500);
      expect((await send(token)).status).toBe(200);
    },
  },
  {
    name: "§9 a device has 60,000 metrics a minute",
    options: { limits: { unclaimedBytesPerMinute: 0 } },
    async run({ call, register, clock }) {
      const { token } = await register();
      const record = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`m${i}`, i]));
      const body = Array.from({ length: 100 }, () => record);
      const send = async () => call("sendTelemetry", { body, token });
      for (let i = 0; i < 5; i++) expect((await send()).status).toBe(200);
      const refused = await send();
      expect(refused.status).toBe(429);
      expect(refused.headers.get("ratelimit-policy")).toBe('"metrics";q=60000;w=60');
      expectRetryAfter(refused.headers, 12);
      clock.advance(12_000);
      expect((await send()).status).toBe(200);
    },
  },
  {
    name: "§9 a tiny or rejected record draws sixteen metrics",
    options: { limits: { metricsPerMinute: 1_600 } },
    async run({ call, register, clock }) {
      const { token } = await register();
      const send = async (body: unknown[]) => (await call("sendTelemetry", { body, token })).status;
      const of = (count: number, record: unknown) => Array.from({ length: count }, () => record);
      expect(await send(of(50, "bad"))).toBe(200);
      expect(await send(of(50, { a: 1 }))).toBe(200);
      expect(await send(["bad"])).toBe(429);
      clock.advance(600);
      expect(await send(["bad"])).toBe(200);
    },
  },
];
