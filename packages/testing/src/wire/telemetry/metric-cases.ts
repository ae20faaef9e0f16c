import { expect } from "vitest";
import { hour, iso, minute, params, prepareHistory } from "../world/history-world.js";
import type { WireCase, WireWorld } from "../world/wire-world.js";

const declared = {
  soc: { displayName: "Charge", unit: "%", min: 0, max: 100 },
  "cells.*": { displayName: "Cell *", unit: "V", decimals: 3 },
};
const options = {
  metrics: {
    defaults: declared,
    byTargetHardware: { "gw-3": { soc: { decimals: 0 } }, "gw-4": { soc: { max: 5 } } },
  },
};

/** Returns calls as an operator, about a hardware. */
async function asOperator({ call, signIn }: WireWorld, targetHardware: string) {
  const token = await signIn("op", { roles: ["operator"] });
  const query = { targetHardware };
  return {
    token,
    read: () => call("readHardwareMetrics", { token, query }),
    change: (body: object, headers: Record<string, string> = {}) =>
      call("changeHardwareMetrics", { token, query, body, headers }),
  };
}

/** Returns the target hardware of the sample device. */
async function hardwareOf({ call, signIn }: WireWorld): Promise<string> {
  const token = await signIn("op", { roles: ["operator"] });
  const { body } = await call("inspectDevice", { token, params });
  return body.device.targetHardware;
}

/** Cases for §7 and §8: how metrics are shown. */
export const metricCases: readonly WireCase[] = [
  {
    name: "§7 an owner reads how the metrics are shown: what the embedder declared, changed by operators per hardware",
    options,
    async run(world) {
      const { call, signIn } = world;
      const { owner } = await prepareHistory(world, []);
      const shown = async () =>
        (await call("readDeviceMetrics", { token: owner, params })).body.metrics;
      expect(await shown()).toEqual(declared);
      const { change } = await asOperator(world, await hardwareOf(world));
      const own = { soc: { displayName: "Battery" }, voltage: { unit: "V", decimals: 2 } };
      expect((await change(own)).status).toBe(200);
      const { change: changeOther } = await asOperator(world, "another hardware");
      await changeOther({ voltage: { unit: "mV" } });
      expect(await shown()).toEqual({
        ...declared,
        soc: { ...declared.soc, displayName: "Battery" },
        voltage: own.voltage,
      });
      const bob = await call("readDeviceMetrics", { token: await signIn("bob"), params });
      expect([bob.status, bob.body.code]).toEqual([404, "device_not_found"]);
    },
  },
  {
    name: "§8 an operator patches descriptions: null removes a field or a metric, and a changed version is 412",
    options,
    async run(world) {
      const { read, change, token } = await asOperator(world, "gw-3");
      const before = await read();
      expect(before.body.metrics).toEqual({});
      const merged = { ...declared, soc: { ...declared.soc, decimals: 0 } };
      expect(before.body.declared).toEqual(merged);
      expect(before.headers.get("etag")).toBe(`"${before.body.metricsVersion}"`);

      const etag = { "if-match": before.headers.get("etag") ?? "" };
      const metrics = { voltage: { unit: " V ", min: 40, max: 60 }, current: { unit: "A" } };
      const set = await change(metrics, etag);
      const voltage = { unit: "V", min: 40, max: 60 };
      expect([set.status, set.body.metrics]).toEqual([200, { ...metrics, voltage }]);
      const late = await change({ current: null }, etag);
      expect([late.status, late.body.code]).toEqual([412, "precondition_failed"]);
      const patches = [{ current: null }, { voltage: { max: null } }, { "a.b": { decimals: 0 } }];
      await Promise.all(patches.map((patch) => change(patch)));
      const { body } = await read();
      expect(body.metrics).toEqual({ voltage: { unit: "V", min: 40 }, "a.b": { decimals: 0 } });

      // A patch that changes nothing is accepted.
      for (const patch of [{}, { voltage: { unit: "V" } }, { unknown: null }]) {
        expect((await change(patch)).body).toEqual(body);
      }
      // A description without fields is none, and without descriptions nothing is stored.
      const emptied = await change({ voltage: { unit: null, min: null }, "a.b": null });
      expect(emptied.body).toEqual(before.body);
      const { events } = (await world.call("readAuditTrail", { token })).body;
      const mine = events.filter(({ kind }: { kind: string }) => kind === "metrics.described");
      expect(mine).toHaveLength(5);
      expect(mine[0]).toMatchObject({
        actor: "op",
        details: { targetHardware: "gw-3", names: ["voltage", "current"] },
      });
    },
  },
  {
    name: "§8 invalid descriptions, and more than 32,768 bytes of them for one target hardware, are 400 and change nothing",
    async run(world) {
      const { read, change } = await asOperator(world, "gw-2");
      const kept = (await change({ voltage: { unit: "V", max: 5 } })).body;
      const wrong = [
        { voltage: { min: 5 } },
        { voltage: { decimals: 10 } },
        { voltage: { decimals: 0.5 } },
        { voltage: { unit: "a\u0000b" } },
        { voltage: { unit: "" } },
        { voltage: { displayName: "x".repeat(65) } },
        { voltage: { colour: "red" } },
        { voltage: "V" },
        { "": { unit: "V" } },
      ];
      for (const patch of wrong) {
        const { status, body } = await change(patch);
        expect([status, body.code], JSON.stringify(patch)).toEqual([400, "invalid_request"]);
      }
      const many = (from: number) =>
        Object.fromEntries(
          Array.from({ length: 150 }, (_, n) => [`m${from + n}`, { displayName: "x".repeat(60) }]),
        );
      expect((await read()).body).toEqual(kept);
      expect([(await change(many(0))).status, (await change(many(150))).status]).toEqual([
        200, 200,
      ]);
      const { status, body } = await change(many(300));
      expect([status, body.errors[0].code]).toEqual([400, "too_big"]);
    },
  },
  {
    name: "§8 a range that is empty together with what the embedder declared is 400 and changes nothing",
    options,
    async run(world) {
      // It has its `min` from the defaults and its `max` from the declarations for this hardware.
      const { read, change } = await asOperator(world, "gw-4");
      const { body: before } = await read();
      for (const patch of [{ soc: { min: 5 } }, { soc: { min: 10 } }, { soc: { max: 0 } }]) {
        const { status, body } = await change(patch);
        expect([status, body.errors[0].path]).toEqual([400, "soc.max"]);
        expect(body.errors[0].message).toContain("declared");
      }
      expect((await read()).body).toEqual(before);
      const own = { soc: { min: 10, max: 20 } };
      expect((await change(own)).body.metrics).toEqual(own);
      expect((await change({ soc: { max: null } })).status).toBe(400);
      const other = { voltage: { min: 10 } };
      expect((await change(other)).body.metrics).toEqual({ ...own, ...other });
    },
  },
  {
    name: "§7 the header of an export has the names of metrics, and on request their units",
    options,
    async run(world) {
      const timestamp = iso(world.clock.now() - hour);
      const record = { timestamp, soc: 50, cells: [3.301, 3.302], note: "text" };
      const { exported } = await prepareHistory(world, [record]);
      const headerOf = async (query: Record<string, string>) =>
        (await exported(query)).body.split("\r\n")[0];
      expect(await headerOf({})).toBe("timestamp,soc,cells.0,cells.1,note,other");
      const withUnits = "timestamp,soc [%],cells.0 [V],cells.1 [V],note,other";
      expect(await headerOf({ header: "unit" })).toBe(withUnits);
    },
  },
  {
    name: "§7 records are listed whole, newest first, with the time at which each was received, in pages",
    async run(world) {
      const { call, clock, signIn } = world;
      const start = clock.now() - 5 * hour;
      const toRecord = (n: number) => ({ timestamp: iso(start + n * minute), n, note: "text" });
      const { owner, token } = await prepareHistory(world, [0, 1, 3].map(toRecord));
      const first = iso(clock.now());
      clock.advance(hour);
      await call("sendTelemetry", { token, body: toRecord(2) });
      const list = async (query: Record<string, string> = {}, by = owner) =>
        call("listTelemetryRecords", { token: by, params, query });
      const expected = [3, 2, 1, 0].map((n) => ({
        timestamp: iso(start + n * minute),
        receivedAt: n === 2 ? iso(clock.now()) : first,
        record: toRecord(n),
      }));
      expect((await list()).body).toEqual({ records: expected, nextCursor: null });
      const page = (await list({ limit: "2" })).body;
      expect(page.records).toEqual(expected.slice(0, 2));
      const rest = (await list({ limit: "2", cursor: page.nextCursor })).body;
      expect(rest).toEqual({ records: expected.slice(2), nextCursor: null });
      const range = { from: iso(start + minute), to: iso(start + 3 * minute) };
      expect((await list(range)).body.records).toEqual(expected.slice(1, 3));
      for (const query of [{ cursor: "eHg" }, { from: "yesterday" }, { limit: "101" }]) {
        expect((await list(query)).status).toBe(400);
      }
      expect((await list({}, await signIn("bob"))).status).toBe(404);
      await call("releaseDevice", { token: owner, params });
      clock.advance(1_000);
      const carol = await signIn("carol");
      const claim = { deviceId: "gw-1", claimCode: "ABCD-EFGH" };
      expect((await call("claimDevice", { token: carol, body: claim })).status).toBe(200);
      expect((await list({}, carol)).body).toEqual({ records: [], nextCursor: null });
    },
  },
];
