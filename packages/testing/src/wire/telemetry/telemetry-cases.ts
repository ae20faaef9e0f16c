import { expect } from "vitest";
import { fieldHeartbeat, fieldRecord } from "../../fixtures/field-records.js";
import type { WireCase, WireWorld } from "../world/wire-world.js";

const valuesOf = async ({ store }: WireWorld, deviceId = "gw-1") => {
  const records = await store.telemetry.read({ deviceId, after: 0, limit: 1_000 });
  return records.map(({ value }) => value);
};
const counts = ({
  body,
}: {
  body: { accepted: number; duplicates: number; rejected: unknown[] };
}) => [body.accepted, body.duplicates, body.rejected.length];

/** Cases for §4. */
export const telemetryCases: readonly WireCase[] = [
  {
    name: "§4 a record from field firmware is accepted and read back whole",
    async run(world) {
      const { call, register, store, clock } = world;
      const { token } = await register();
      const reply = await call("sendTelemetry", { body: fieldRecord, token });
      const config = (await call("readConfig", { token })).body;
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({
        accepted: 1,
        duplicates: 0,
        rejected: [],
        serverTime: new Date(clock.now()).toISOString(),
        configVersion: config.configVersion,
        updateAvailable: false,
      });
      await call("sendTelemetry", { body: fieldHeartbeat, token });
      expect(await valuesOf(world)).toEqual([fieldRecord, fieldHeartbeat]);
      const [record] = await store.telemetry.read({ deviceId: "gw-1", after: 0, limit: 1 });
      expect(record).toMatchObject({ at: clock.now(), receivedAt: clock.now() });
    },
  },
  {
    name: "§4 a batch is an array, or an object with `records`",
    async run(world) {
      const { call, register } = world;
      const { token } = await register();
      expect(counts(await call("sendTelemetry", { body: [{ a: 1 }, { a: 2 }], token }))).toEqual([
        2, 0, 0,
      ]);
      const wrapped = { records: [{ a: 3 }], note: "ignored" };
      expect(counts(await call("sendTelemetry", { body: wrapped, token }))).toEqual([1, 0, 0]);
      expect(counts(await call("sendTelemetry", { body: [], token }))).toEqual([0, 0, 0]);
      const named = { records: 4 };
      expect(counts(await call("sendTelemetry", { body: named, token }))).toEqual([1, 0, 0]);
      expect(await valuesOf(world)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }, named]);
    },
  },
  {
    name: "§4 a request has at most 500 records, and its body is an object or an array",
    async run({ call, register }) {
      const { token } = await register();
      const records = (count: number) => Array.from({ length: count }, (_, a) => ({ a }));
      expect(counts(await call("sendTelemetry", { body: records(500), token }))).toEqual([
        500, 0, 0,
      ]);
      for (const body of [records(501), { records: records(501) }, 5, "text", true, null]) {
        const reply = await call("sendTelemetry", { body, token });
        expect([reply.status, reply.body.code]).toEqual([400, "invalid_request"]);
      }
    },
  },
  {
    name: "§4 an invalid record does not affect the others, and each gets a reason",
    async run(world) {
      const { call, register, clock } = world;
      const { token } = await register();
      const wide = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`m${i}`, i]));
      const deep = JSON.parse(`${'{"a":'.repeat(9)}1${"}".repeat(9)}`);
      const body = [
        { ok: 1 },
        "text",
        [1],
        null,
        { timestamp: "yesterday" },
        { timestamp: "2025-01-01T00:00:00" },
        { timestamp: clock.now() + 300_001 },
        { timestamp: clock.now() - 90 * 86_400_000 - 1 },
        { seq: 1.5 },
        wide,
        deep,
        { ["n".repeat(129)]: 1 },
        { ok: 2, timestamp: clock.now() + 300_000 },
        { ok: 3, timestamp: clock.now() - 90 * 86_400_000, seq: -1 },
      ];
      const reply = await call("sendTelemetry", { body, token });
      expect(counts(reply)).toEqual([3, 0, 11]);
      expect(
        reply.body.rejected.map((r: { index: number; code: string }) => [r.index, r.code]),
      ).toEqual([
        [1, "not_an_object"],
        [2, "not_an_object"],
        [3, "not_an_object"],
        [4, "invalid_timestamp"],
        [5, "invalid_timestamp"],
        [6, "timestamp_out_of_range"],
        [7, "timestamp_out_of_range"],
        [8, "invalid_seq"],
        [9, "too_many_metrics"],
        [10, "too_deep"],
        [11, "name_too_long"],
      ]);
      expect((await valuesOf(world)).map(({ ok }) => ok)).toEqual([1, 2, 3]);
    },
  },
  {
    name: "§4 a request whose only record is rejected still gets 200, so that firmware does not retry it",
    async run({ call, register }) {
      const { token } = await register();
      const reply = await call("sendTelemetry", { body: { timestamp: "never" }, token });
      expect([reply.status, ...counts(reply)]).toEqual([200, 0, 0, 1]);
    },
  },
  {
    name: "§4 a record with the same timestamp, seq and content is a duplicate, and any other is stored",
    async run({ call, register, clock }) {
      const { token } = await register();
      const other = await register("gw-2");
      const timestamp = new Date(clock.now()).toISOString();
      const send = async (body: unknown, as = token) =>
        counts(await call("sendTelemetry", { body, token: as }));
      const record = { timestamp, a: 1, b: { c: [2], d: "e" } };
      expect(await send(record)).toEqual([1, 0, 0]);
      expect(await send(record)).toEqual([0, 1, 0]);
      const reordered = { b: { d: "e", c: [2] }, a: 1, timestamp: clock.now() };
      expect(await send(reordered)).toEqual([0, 1, 0]);
      expect(await send({ ...record, a: 2 })).toEqual([1, 0, 0]);
      expect(await send({ ...record, seq: 1 })).toEqual([1, 0, 0]);
      expect(
        await send([
          { ...record, seq: 2 },
          { ...record, seq: 2 },
        ]),
      ).toEqual([1, 1, 0]);
      expect(await send(record, other.token)).toEqual([1, 0, 0]);
    },
  },
  {
    name: "§4 records without a timestamp never match each other",
    async run({ call, register }) {
      const { token } = await register();
      for (const body of [
        { a: 1 },
        { a: 1 },
        [
          { a: 1, seq: 4 },
          { a: 1, seq: 4 },
        ],
      ]) {
        const accepted = Array.isArray(body) ? body.length : 1;
        expect(counts(await call("sendTelemetry", { body, token }))).toEqual([accepted, 0, 0]);
      }
    },
  },
  {
    name: "§4 a request with a repeated Idempotency-Key stores nothing and gets the first response",
    async run(world) {
      const { call, register, clock } = world;
      const { token } = await register();
      const other = await register("gw-2");
      const headers = { "idempotency-key": "k-1" };
      const body = [{ a: 1 }, "bad"];
      const first = await call("sendTelemetry", { body, token, headers });
      clock.advance(60_000);
      const second = await call("sendTelemetry", { body, token, headers });
      expect(second.body).toEqual(first.body);
      expect(await valuesOf(world)).toHaveLength(1);

      const reused = await call("sendTelemetry", { body: [{ a: 2 }], token, headers });
      expect([reused.status, reused.body.code]).toEqual([409, "idempotency_key_reused"]);
      const foreign = await call("sendTelemetry", {
        body: [{ a: 2 }],
        token: other.token,
        headers,
      });
      expect(counts(foreign)).toEqual([1, 0, 0]);

      const bad = await call("sendTelemetry", {
        body,
        token,
        headers: { "idempotency-key": "a b" },
      });
      expect([bad.status, bad.body.errors[0].path]).toEqual([400, "idempotency-key"]);
    },
  },
  {
    name: "§4 an Idempotency-Key can be reused after 24 hours",
    options: { limits: { tokenTtlSeconds: 604_800 } },
    async run({ call, register, clock }) {
      const { token } = await register();
      const headers = { "idempotency-key": "k-1" };
      const send = async (a: number) =>
        (await call("sendTelemetry", { body: { a }, token, headers })).status;
      expect(await send(1)).toBe(200);
      clock.advance(86_400_000);
      expect(await send(2)).toBe(409);
      clock.advance(1);
      expect(await send(2)).toBe(200);
    },
  },
  {
    name: "§4 concurrent requests with one Idempotency-Key store once",
    async run(world) {
      const { call, register } = world;
      const { token } = await register();
      const request = { body: { a: 1 }, token, headers: { "idempotency-key": "race" } };
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => call("sendTelemetry", request)),
      );
      expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await valuesOf(world)).toHaveLength(1);
    },
  },
  {
    name: "§4 names such as __proto__ are stored like any other",
    async run(world) {
      const { call, register, store } = world;
      const { token } = await register();
      const raw = '{"__proto__":{"x":1},"constructor":{"prototype":2},"toString":3}';
      expect(counts(await call("sendTelemetry", { raw, token }))).toEqual([1, 0, 0]);
      const [record] = await store.telemetry.read({ deviceId: "gw-1", after: 0, limit: 1 });
      expect(JSON.stringify(record?.value)).toBe(raw);
      expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    },
  },
  {
    name: "§9 a repeated request with rejected records gets the same response, whatever the reasons",
    async run({ call, register, clock }) {
      const { token } = await register();
      const bad = [0, { timestamp: "?" }, { seq: "" }, { timestamp: clock.now() + 3_600_000 }];
      const body = Array.from({ length: 500 }, (_, n) => (n % 5 === 0 ? { n } : bad[n % 4]));
      const request = { token, body, headers: { "idempotency-key": "k" } };
      const first = await call("sendTelemetry", request);
      clock.advance(60_000);
      const again = await call("sendTelemetry", request);
      expect(counts(first)).toEqual([100, 0, 400]);
      expect(again.body).toEqual(first.body);
    },
  },
];
