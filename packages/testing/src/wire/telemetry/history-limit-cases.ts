import { expect } from "vitest";
import { hour, minute, prepareHistory } from "../world/history-world.js";
import type { WireCase } from "../world/wire-world.js";

/** Cases for §7 and §9: what a history request may ask for, and what it costs. */
export const historyLimitCases: readonly WireCase[] = [
  {
    name: "§7 a bucket with too many metrics is reported as truncated",
    async run(world) {
      const records = [0, 1, 2, 3, 4].map((part) =>
        Object.fromEntries(Array.from({ length: 205 }, (_, n) => [`m${part * 205 + n}`, n])),
      );
      const { read } = await prepareHistory(world, records);
      world.clock.advance(minute);
      const whole = (await read({ interval: "1h", metrics: "m0,m1" })).body;
      expect([whole.metrics, whole.truncated]).toEqual([["m0", "m1"], false]);
      const full = (await read({ interval: "1h" })).body;
      expect([full.metrics.length, full.truncated]).toEqual([1_024, true]);
    },
  },
  {
    name: "§7 a roll-up that may lack metrics is reported as truncated, whichever are selected",
    async run(world) {
      const records = Array.from({ length: 6 }, (_, part) =>
        Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`m${part * 200 + n}`, n])),
      );
      const { read } = await prepareHistory(world, records);
      world.clock.advance(hour);
      const query = { interval: "1h", metrics: "m1199" };
      const { body } = await read(query);
      expect([body.metrics, body.truncated]).toEqual([["m1199"], false]);
      const { telemetry } = world.store;
      while ((await telemetry.rollUp({ before: world.clock.now(), limit: 9 })).more);
      const rolledUp = (await read(query)).body;
      // A store without roll-ups leaves nothing out.
      expect(rolledUp.truncated).toBe(rolledUp.metrics.length === 0);
    },
  },
  {
    name: "§7 an invalid query is 400 and names the parameter",
    async run(world) {
      const { read } = await prepareHistory(world, []);
      const wrong = {
        from: "yesterday",
        to: "2025-01-01",
        hours: "x",
        limit: "5001",
        interval: "5w",
        aggregate: "median",
        cursor: "_w",
      };
      expect((await read({ cursor: btoa("xyz").replaceAll("=", "") })).status).toBe(400);
      for (const [name, value] of Object.entries(wrong)) {
        const { status, body } = await read({ [name]: value });
        expect([status, body.errors?.[0]?.path]).toEqual([400, name]);
      }
      const backwards = await read({ from: "2", to: "1" });
      expect(backwards.status).toBe(400);
    },
  },
  {
    name: "§9 a large history draws dashboard tokens for what it reads, a small one only for its request",
    options: { limits: { dashboardPerMinute: 20 } },
    async run(world) {
      const start = world.clock.now() - 2 * hour;
      const records = Array.from({ length: 1_000 }, (_, a) => ({ timestamp: start + a, a }));
      const { read } = await prepareHistory(world, records);
      const untilRefused = async (query: Record<string, string>) => {
        world.clock.advance(minute);
        let answered = 0;
        let refused = await read(query);
        for (; refused.status === 200; answered++) refused = await read(query);
        // The first refusal may concern the request's own token; the second concerns the whole cost.
        for (let waits = 0; refused.status !== 200; waits++) {
          const wait = refused.headers.get("retry-after");
          expect([refused.status, wait === null, waits < 2]).toEqual([429, false, true]);
          expect(refused.headers.get("ratelimit")).toContain('"dashboard"');
          world.clock.advance(Number(wait) * 1_000);
          refused = await read(query);
        }
        return answered;
      };
      expect(await untilRefused({ interval: "raw", limit: "60" })).toBe(20);
      // A thousand records of one metric cost one more token.
      expect(await untilRefused({ interval: "raw", limit: "1000", metrics: "a" })).toBe(10);
      // A request that turns out to be small gets its tokens back, but the bucket must hold them first.
      const to = String(start + 10);
      expect(await untilRefused({ interval: "raw", limit: "5000", to })).toBe(10);
      // The same number of buckets from the same number of records.
      expect(await untilRefused({ interval: "1s", limit: "5000", metrics: "a" })).toBe(20);
      // Hours that are not rolled up cost as much as their records.
      expect(await untilRefused({ interval: "1h", metrics: "a" })).toBe(10);
    },
  },
];
