import { expect } from "vitest";
import { hour, iso, minute, params, prepareHistory } from "../world/history-world.js";
import type { WireCase } from "../world/wire-world.js";

/** Cases for §7: history. */
export const historyCases: readonly WireCase[] = [
  {
    name: "§7 history returns raw samples if they fit the limit, oldest first, by default of top-level numbers",
    async run(world) {
      const start = world.clock.now() - 5 * hour;
      const records = [2, 0, 1].map((i) => ({
        timestamp: start + i * minute,
        voltage: 50 + i,
        bms: { soc: i },
        note: "text",
      }));
      const { read } = await prepareHistory(world, records);
      const { body } = await read({});
      expect(body).toEqual({
        deviceId: "gw-1",
        from: iso(world.clock.now() - 6 * hour),
        to: iso(world.clock.now()),
        interval: "raw",
        metrics: ["voltage"],
        points: [0, 1, 2].map((i) => ({ timestamp: iso(start + i * minute), voltage: 50 + i })),
        truncated: false,
        nextCursor: null,
      });
      const chosen = (await read({ metrics: "bms.*,voltage" })).body;
      expect(chosen.metrics).toEqual(["voltage", "bms.soc"]);
      expect(chosen.points[2]).toEqual({
        timestamp: iso(start + 2 * minute),
        voltage: 52,
        "bms.soc": 2,
      });
      expect((await read({ metrics: "missing" })).body.points).toEqual([]);
    },
  },
  {
    name: "§7 otherwise history returns at most `limit` exact buckets; an empty bucket is absent, not zero",
    async run(world) {
      const start = world.clock.now() - 4 * hour;
      const gap = (i: number) => i >= 100 && i < 140;
      const records = Array.from({ length: 200 }, (_, i) => ({
        timestamp: start + i * minute,
        a: i,
      }));
      const { read } = await prepareHistory(
        world,
        records.filter((_, i) => !gap(i)),
      );
      const query = {
        from: iso(start),
        to: String(start + 200 * minute),
        aggregate: "min,max,count",
      };
      const { body } = await read({ ...query, limit: "60" });
      expect(body.interval).toBe("5m");
      expect(body.truncated).toBe(false);
      const expected = Array.from({ length: 40 }, (_, i) => i)
        .filter((i) => !gap(i * 5))
        .map((i) => ({
          timestamp: iso(start + i * 5 * minute),
          a: { min: i * 5, max: i * 5 + 4, count: 5 },
        }));
      expect(body.points).toEqual(expected);
      const { points } = (await read({ ...query, aggregate: "avg", interval: "1h" })).body;
      expect(points[0]).toEqual({ timestamp: iso(start), a: 29.5 });
      for (const [aggregate, value] of [
        ["first", 0],
        ["last", 59],
        ["sum", 1770],
      ] as const) {
        const one = await read({ ...query, aggregate, interval: "1h" });
        expect([aggregate, one.body.points[0].a]).toEqual([aggregate, value]);
      }
    },
  },
  {
    name: "§7 with raw or fixed intervals the first page is the newest, and the cursor leads to older ones",
    async run(world) {
      const start = world.clock.now() - 12 * hour;
      const records = Array.from({ length: 700 }, (_, i) => ({
        timestamp: start + i * minute,
        a: i,
      }));
      const { read } = await prepareHistory(world, records);
      for (const interval of ["raw", "1m"]) {
        const seen: number[] = [];
        let cursor: string | null = null;
        do {
          const query = { interval, hours: "13", limit: "640", ...(cursor !== null && { cursor }) };
          const { body } = await read(query);
          seen.unshift(...body.points.map(({ a }: { a: number }) => a));
          cursor = body.nextCursor;
          expect(body.truncated).toBe(cursor !== null);
        } while (cursor !== null);
        expect([interval, seen]).toEqual([interval, records.map(({ a }) => a)]);
      }
      const { nextCursor } = (await read({ interval: "raw", limit: "1" })).body;
      const auto = await read({ limit: "1", cursor: nextCursor });
      expect([auto.status, auto.body.interval]).toEqual([200, "raw"]);
      const mixed = await read({ interval: "1h", cursor: nextCursor });
      expect([mixed.status, mixed.body.code]).toEqual([400, "invalid_request"]);
    },
  },
  {
    name: "§7 late and duplicate records count exactly once, before and after a roll-up",
    async run(world) {
      const { clock, store, call } = world;
      const start = Math.floor((clock.now() - 20 * hour) / hour) * hour;
      const record = (i: number) => ({
        timestamp: start + i * minute,
        a: (i * 37) % 101,
        b: { c: i },
      });
      const onTime = Array.from({ length: 600 }, (_, i) => record(i)).filter((_, i) => i % 7 !== 3);
      const { token, read } = await prepareHistory(world, onTime);
      const query = { from: iso(start + 30 * minute), to: iso(start + 590 * minute) };
      const plain = (records: readonly ReturnType<typeof record>[], interval: number) => {
        const inside = records.filter(
          ({ timestamp }) => timestamp >= start + 30 * minute && timestamp < start + 590 * minute,
        );
        const starts = [
          ...new Set(inside.map((r) => Math.floor(r.timestamp / interval) * interval)),
        ];
        return starts
          .sort((x, y) => x - y)
          .map((at) => {
            const values = inside
              .filter(({ timestamp }) => Math.floor(timestamp / interval) * interval === at)
              .sort((x, y) => x.timestamp - y.timestamp)
              .map(({ a }) => a);
            return {
              timestamp: iso(at),
              a: {
                min: Math.min(...values),
                max: Math.max(...values),
                sum: values.reduce((sum, value) => sum + value, 0),
                count: values.length,
                first: values[0],
                last: values.at(-1),
              },
            };
          });
      };
      const check = async (records: readonly ReturnType<typeof record>[]) => {
        for (const [interval, ms] of [
          ["10m", 10 * minute],
          ["1h", hour],
          ["3h", 3 * hour],
        ] as const) {
          const aggregate = "min,max,sum,count,first,last";
          const { body } = await read({ ...query, interval, aggregate, limit: "500" });
          expect([interval, body.points]).toEqual([interval, plain(records, ms)]);
        }
      };
      await check(onTime);
      while ((await store.telemetry.rollUp({ before: clock.now(), limit: 4 })).more);
      await check(onTime);
      const late = Array.from({ length: 600 }, (_, i) => record(i)).filter((_, i) => i % 7 === 3);
      const sent = await call("sendTelemetry", { token, body: [...late, ...onTime.slice(0, 99)] });
      expect([sent.body.accepted, sent.body.duplicates]).toEqual([late.length, 99]);
      const all = [...onTime, ...late].sort((x, y) => x.timestamp - y.timestamp);
      await check(all);
      while ((await store.telemetry.rollUp({ before: clock.now(), limit: 4 })).more);
      await check(all);
    },
  },
  {
    name: "§7 a range beyond the retention of records is answered from roll-ups",
    async run(world) {
      const { clock, gateway, signIn } = world;
      const begin = Math.floor(clock.now() / hour) * hour - 4 * hour;
      const records = Array.from({ length: 120 }, (_, i) => ({
        timestamp: begin + i * minute,
        a: i,
      }));
      await prepareHistory(world, records);
      await gateway.maintain();
      clock.advance(100 * 24 * hour);
      expect((await gateway.maintain()).droppedRecords).toBe(120);
      const owner = await signIn("alice");
      const query = { from: iso(begin), to: iso(begin + 24 * hour), aggregate: "count" };
      const { body } = await world.call("readTelemetryHistory", { token: owner, params, query });
      const hourly = [60, 60].map((a, i) => ({ timestamp: iso(begin + i * hour), a }));
      expect([body.interval, body.points]).toEqual(["1h", hourly]);
    },
  },
  {
    name: "§9 roll-ups are kept as long as records of their hours may be, even of late ones",
    options: { limits: { telemetryRetentionDays: 90, rollUpRetentionDays: 30 } },
    async run(world) {
      const { clock, gateway, signIn } = world;
      const begin = Math.floor(clock.now() / hour) * hour - 80 * 24 * hour;
      const times = [begin, begin + 80 * 24 * hour];
      await prepareHistory(
        world,
        times.map((timestamp) => ({ timestamp, a: 1 })),
      );
      clock.advance(hour);
      await gateway.maintain();
      clock.advance(60 * 24 * hour);
      expect((await gateway.maintain()).droppedRecords).toBe(0);
      const owner = await signIn("alice");
      const query = { from: iso(begin), interval: "1h", limit: "5000" };
      const { body } = await world.call("readTelemetryHistory", { token: owner, params, query });
      expect(body.points).toEqual(times.map((at) => ({ timestamp: iso(at), a: 1 })));
    },
  },
  {
    name: "§7 history and export of a new owner begin with the claim",
    async run(world) {
      const { call, clock, signIn } = world;
      const { token, owner } = await prepareHistory(world, [{ a: 1 }]);
      await call("releaseDevice", { token: owner, params });
      clock.advance(10 * minute);
      const bob = await signIn("bob");
      const claim = { deviceId: "gw-1", claimCode: "ABCD-EFGH" };
      await call("claimDevice", { token: bob, body: claim });
      expect((await call("sendTelemetry", { token, body: { a: 2 } })).status).toBe(401);
      const secretless = await call("readTelemetryHistory", { token: owner, params });
      expect(secretless.status).toBe(404);
      for (const interval of ["auto", "raw", "1h", "1m"]) {
        const query = { interval, hours: "24" };
        const { body } = await call("readTelemetryHistory", { token: bob, params, query });
        expect([interval, body.points]).toEqual([interval, []]);
      }
      const query = { format: "ndjson", from: "0" };
      expect((await call("exportTelemetry", { token: bob, params, query })).body).toBe("");
    },
  },
  {
    name: "§7 metric names that are numbers or unusual text are returned correctly",
    async run(world) {
      const text = '{"b":1,"10":2,"2":3,"__proto__":4,"x.y":true,"ä\\"":-0.5}';
      const { token, read } = await prepareHistory(world, []);
      expect((await world.call("sendTelemetry", { token, raw: text })).status).toBe(200);
      world.clock.advance(1);
      for (const interval of ["raw", "1m"]) {
        const { body } = await read({ interval });
        const { timestamp, ...values } = body.points[0];
        expect(Object.entries(values)).toEqual([
          ["2", 3],
          ["10", 2],
          ["b", 1],
          ["__proto__", 4],
          ["x\\.y", 1],
          ['ä"', -0.5],
        ]);
        expect(typeof timestamp).toBe("string");
        expect(new Set(body.metrics)).toEqual(new Set(Object.keys(values)));
      }
    },
  },
];
