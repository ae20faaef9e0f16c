import { expect } from "vitest";
import { expectRetryAfter } from "../world/expect-retry-after.js";
import type { WireCase } from "../world/wire-world.js";

/** Cases for the limits of telemetry (§9). */
export const telemetryLimitCases: readonly WireCase[] = [
  {
    name: "§9 the telemetry requests of a device are limited per minute",
    options: { limits: { telemetryPerMinute: 12 } },
    async run({ call, register, clock }) {
      const { token } = await register();
      const other = await register("gw-2");
      const send = async (as: string) => call("sendTelemetry", { body: { a: 1 }, token: as });
      for (let i = 0; i < 12; i++) expect((await send(token)).status).toBe(200);
      const refused = await send(token);
      expect(refused.status).toBe(429);
      expectRetryAfter(refused.headers, 5);
      expect((await send(other.token)).status).toBe(200);
      clock.advance(5_000);
      expect((await send(token)).status).toBe(200);
    },
  },
  {
    name: "§9 the metrics of a device are limited per minute",
    options: { limits: { metricsPerMinute: 6_000 } },
    async run({ call, register, clock }) {
      const { token } = await register();
      const record = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`m${i}`, i]));
      const body = Array.from({ length: 10 }, () => record);
      const send = async () => call("sendTelemetry", { body, token });
      for (let i = 0; i < 5; i++) expect((await send()).status).toBe(200);
      const refused = await send();
      expect(refused.status).toBe(429);
      expect(refused.headers.get("ratelimit-policy")).toBe('"metrics";q=6000;w=60');
      expectRetryAfter(refused.headers, 12);
      clock.advance(12_000);
      expect((await send()).status).toBe(200);
    },
  },
  {
    name: "§9 a device that repeats a request for too many metrics without waiting is refused unread",
    options: { limits: { metricsPerMinute: 1_600 } },
    async run({ call, register, clock }) {
      const { token } = await register();
      const other = await register("gw-2");
      const large = Array.from({ length: 80 }, () => ({ a: 1 }));
      const send = (body: unknown[]) => call("sendTelemetry", { body, token });
      const malformed = () => call("sendTelemetry", { raw: "[", token });
      expect((await send(large)).status).toBe(200);
      for (let n = 0; n < 4; n++) expect((await send(large)).status).toBe(429);
      expect((await malformed()).status).toBe(400);
      expect((await send(large)).status).toBe(429);
      clock.advance(4_500);
      const unread = await malformed();
      expect(unread.status).toBe(429);
      expect(unread.headers.get("ratelimit-policy")).toBe('"metrics";q=1600;w=60');
      expectRetryAfter(unread.headers, 32);
      expect((await send([{ a: 1 }])).status).toBe(429);
      const sent = await call("sendTelemetry", { body: large, token: other.token });
      expect(sent.status).toBe(200);
      clock.advance(31_500);
      expect((await send(large)).status).toBe(200);
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
