import { expect } from "vitest";
import { fieldRecord } from "../field-records.js";
import type { WireCase, WireWorld } from "./wire-world.js";

const params = { deviceId: "gw-1" };
const minute = 60_000;
const hour = 60 * minute;

/** A claimed device that sent records, and its owner's way to its history. */
async function prepare(world: WireWorld, records: readonly object[]) {
  const { token } = await world.register();
  const owner = await world.signIn("alice");
  const claim = { deviceId: "gw-1", claimCode: "ABCD-EFGH" };
  await world.call("claimDevice", { token: owner, body: claim });
  for (let i = 0; i < records.length; i += 500) {
    const { body } = await world.call("sendTelemetry", { token, body: records.slice(i, i + 500) });
    expect(body.rejected).toEqual([]);
    world.clock.advance(0);
  }
  const read = async (query: Record<string, string>) =>
    world.call("readTelemetryHistory", { token: owner, params, query });
  const exported = async (query: Record<string, string>) =>
    world.call("exportTelemetry", { token: owner, params, query });
  return { token, owner, read, exported };
}
const iso = (at: number) => new Date(at).toISOString();

/** Contract §7, history and export. */
export const historyCases: readonly WireCase[] = [
  {
    name: "§7 raw samples if they fit the limit: ascending, the top-level numbers by default",
    async run(world) {
      const start = world.clock.now() - 5 * hour;
      const records = [2, 0, 1].map((i) => ({
        timestamp: start + i * minute,
        voltage: 50 + i,
        bms: { soc: i },
        note: "text",
      }));
      const { read } = await prepare(world, records);
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
    name: "§7 else at most `limit` buckets, exact; one without a sample is absent, not zero",
    async run(world) {
      const start = world.clock.now() - 4 * hour;
      const gap = (i: number) => i >= 100 && i < 140;
      const records = Array.from({ length: 200 }, (_, i) => ({
        timestamp: start + i * minute,
        a: i,
      }));
      const { read } = await prepare(
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
    name: "§7 raw and fixed intervals give the newest first page, and older ones by cursor",
    async run(world) {
      const start = world.clock.now() - 2 * hour;
      const records = Array.from({ length: 90 }, (_, i) => ({
        timestamp: start + i * minute,
        a: i,
      }));
      const { read } = await prepare(world, records);
      for (const interval of ["raw", "1m"]) {
        const seen: number[] = [];
        let cursor: string | null = null;
        do {
          const query = { interval, limit: "40", ...(cursor !== null && { cursor }) };
          const { body } = await read(query);
          seen.unshift(...body.points.map(({ a }: { a: number }) => a));
          cursor = body.nextCursor;
          expect(body.truncated).toBe(cursor !== null);
        } while (cursor !== null);
        expect([interval, seen]).toEqual([interval, records.map(({ a }) => a)]);
      }
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
      const { token, read } = await prepare(world, onTime);
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
    name: "§7 the export gives every record back, as NDJSON whole and as CSV",
    async run(world) {
      const start = world.clock.now() - 12 * hour;
      const records = Array.from({ length: 1_203 }, (_, i) => ({
        timestamp: iso(start + i * 1_000),
        ...(i % 2 ? { a: i } : { "b,c": { d: i / 4 } }),
      }));
      const odd = { ...fieldRecord, timestamp: iso(start - 1), note: '=1+1, "x"\n' };
      const { exported } = await prepare(world, [odd, ...records]);
      const ndjson = await exported({ format: "ndjson" });
      const lines = ndjson.body.trimEnd().split("\n");
      expect(lines.map((line: string) => JSON.parse(line))).toEqual([odd, ...records]);
      expect(ndjson.headers.get("content-disposition")).toBe(
        'attachment; filename="gw-1_2024-10-02_2025-01-01.ndjson"',
      );
      const csv = await exported({});
      expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      const [header, first, ...rest] = csv.body.split("\r\n");
      expect(header.startsWith("timestamp,bmsLinkUp,voltage,")).toBe(true);
      expect(header).toContain('"b,c.d"');
      expect(`${first}`).toContain("true,53.27");
      expect(csv.body).toContain(`"'=1+1, ""x""\n"`);
      expect(rest.length).toBeGreaterThan(1_203);
    },
  },
  {
    name: "§7 a live stream opens at once for who may see the device, and for nobody else",
    async run(world) {
      const { owner } = await prepare(world, []);
      const path = "/api/v1/dashboard/devices/gw-1/telemetry/live";
      const open = (token: string) =>
        world.fetch(path, { headers: { authorization: `Bearer ${token}` } });
      const stream = await open(owner);
      expect([stream.status, stream.headers.get("content-type")]).toEqual([
        200,
        "text/event-stream",
      ]);
      const reader = stream.body?.getReader();
      const first = await reader?.read();
      expect(new TextDecoder().decode(first?.value)).toBe("retry: 2000\n\n");
      void reader?.cancel();
      expect((await open(await world.signIn("bob"))).status).toBe(404);
      expect((await open("x")).status).toBe(401);
    },
  },
  {
    name: "§7 an export that is read slowly ends when the device is somebody else's",
    async run(world) {
      const { call, clock, signIn, fetch } = world;
      const records = Array.from({ length: 1_200 }, (_, a) => ({ a, pad: "x".repeat(200) }));
      const { token, owner } = await prepare(world, records);
      const far = new Date(clock.now() + 400 * 24 * hour).toISOString();
      const path = `/api/v1/dashboard/devices/gw-1/telemetry/export?format=ndjson&to=${far}`;
      const slow = await fetch(path, { headers: { authorization: `Bearer ${owner}` } });
      const reader = slow.body?.getReader();
      await reader?.read();
      await call("releaseDevice", { token: owner, params });
      clock.advance(minute);
      const bob = await signIn("bob");
      await call("claimDevice", {
        token: bob,
        body: { deviceId: "gw-1", claimCode: "ABCD-EFGH" },
      });
      expect((await call("readConfig", { token })).status).toBe(401);
      let rest = "";
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) break;
        rest += new TextDecoder().decode(value);
      }
      // What was on its way may still come; nothing is read for it any more.
      expect(rest.split("\n").length).toBeLessThan(1_200);
    },
  },
  {
    name: "§7 a range beyond the records' retention is drawn from the roll-ups",
    async run(world) {
      const { clock, gateway, signIn } = world;
      const begin = Math.floor(clock.now() / hour) * hour - 4 * hour;
      const records = Array.from({ length: 120 }, (_, i) => ({
        timestamp: begin + i * minute,
        a: i,
      }));
      await prepare(world, records);
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
    name: "§7 a new owner's history and export begin with the claim",
    async run(world) {
      const { call, clock, signIn } = world;
      const { token, owner } = await prepare(world, [{ a: 1 }]);
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
    name: "§7 what a query can't mean is 400, and says which part",
    async run(world) {
      const { read } = await prepare(world, []);
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
];
