import { silentLogger } from "@device-gateway/core";
import {
  type GatewayStore,
  type JsonObject,
  type Logger,
  shapeBounds,
} from "@device-gateway/core/store";
import {
  fieldRecord,
  readRecordValues,
  sampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import { Client } from "pg";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openPostgresStore } from "../../open-postgres-store.js";
import { limitDeletions } from "../../testing/limit-deletions.js";
import { useStoreAndClient } from "../../testing/use-store-and-client.js";

let url: string;
let store: GatewayStore;
/** Inspects the tables, and holds locks as long as the test wants. */
let other: Client;
useStoreAndClient(async (opened) => {
  ({ store, other, url } = opened);
  for (const deviceId of ["gw-1", "gw-2"]) {
    const device = sampleDevice(deviceId, sampleOwnership());
    await store.devices.register({ device, event: sampleEvent(deviceId) });
  }
});
afterEach(() => vi.restoreAllMocks());

const { perDevice, claimed } = shapeBounds;

let seq = 0;
function send(deviceId: string, values: readonly JsonObject[], key?: string) {
  const records = values.map((value) => sampleRecord({ seq: seq++, value, isTimed: false }));
  const once =
    key === undefined ? null : { key, fingerprint: `${seq}`, expiresAt: sampleTime + 1, memo: "" };
  return store.telemetry.append({ deviceId, receivedAt: sampleTime, records, once });
}

/** Returns records that all have different shapes. */
const distinct = (count: number, prefix = "name"): JsonObject[] =>
  Array.from({ length: count }, (_, n) => ({ [`${prefix}-${n}`]: n, text: "漢" }));

async function count(table: string, where = "true"): Promise<number> {
  const { rows } = await other.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM device_gateway.${table} WHERE ${where}`,
  );
  return rows[0]?.n ?? 0;
}

const stored = { kind: "appended", verdicts: ["stored"] };

const addUnused = (shapes: number) =>
  other.query(`INSERT INTO device_gateway.telemetry_shapes (id, skeleton, device, owner_id)
    SELECT n, 'unused ' || n, n, 'owner ' || n FROM generate_series(1, ${shapes}) AS n`);

describe("the shapes of records", () => {
  it("have a limit per device; further records are stored as text", async () => {
    const values = distinct(200);
    await send("gw-1", values);
    await send("gw-1", [...values].reverse());
    expect(await readRecordValues(store, "gw-1")).toEqual([...values, ...[...values].reverse()]);
    expect(await count("telemetry_shapes")).toBe(perDevice);
    expect(await count("telemetry", "shape IS NULL")).toBe(2 * (200 - perDevice));
    // Another device has its own quota. Shapes that already exist count against it too.
    await send("gw-2", values.slice(100));
    await send("gw-2", [fieldRecord]);
    expect(await count("telemetry_shapes")).toBe(2 * perDevice);
    expect(await readRecordValues(store, "gw-2")).toEqual([...values.slice(100), fieldRecord]);
  });

  it("have the same limit for single records and for several processes", async () => {
    const second = await openPostgresStore({ url, poolSize: 2 });
    for (const [n, value] of distinct(100).entries()) {
      const to = n % 2 === 0 ? store : second;
      const records = [sampleRecord({ seq: seq++, value, isTimed: false })];
      await to.telemetry.append({ deviceId: "gw-1", receivedAt: sampleTime, records, once: null });
    }
    await second.close();
    expect(await count("telemetry_shapes")).toBe(perDevice);
    expect(await readRecordValues(store, "gw-1")).toEqual(distinct(100));
  });

  it("have the same limit if the records are not stored", async () => {
    await send("gw-1", [], "key");
    for (let request = 0; request < 3; request++) {
      const refused = await send("gw-1", distinct(40, `try-${request}`), "key");
      expect(refused).toEqual({ kind: "key_reused" });
    }
    expect(await count("telemetry_shapes")).toBe(perDevice);
    expect(await count("telemetry_shape_uses")).toBe(perDevice);
  });

  it("are not stored for an unknown device", async () => {
    expect(await send("nobody", distinct(3))).toEqual({ kind: "unknown_device" });
    expect(await count("telemetry_shapes")).toBe(0);
  });

  it("have a limit for all claimed devices, and a maximum length", async () => {
    const long = { ["n".repeat(shapeBounds.skeletonLength)]: 1 };
    await send("gw-1", [long]);
    expect(await count("telemetry_shapes")).toBe(0);
    await addUnused(claimed - 1);
    const values = [{ a: 1 }, { b: 1 }, { c: 1 }];
    await send("gw-1", values);
    expect(await count("telemetry_shapes")).toBe(claimed);
    expect(await count("telemetry", "shape IS NULL")).toBe(3);
    expect(await readRecordValues(store, "gw-1")).toEqual([long, ...values]);
  });

  it("are added with the same number of statements, however many there are", async () => {
    const query = vi.spyOn(Client.prototype, "query");
    const statementsOf = async (shapes: number, prefix: string) => {
      const before = query.mock.calls.length;
      await Promise.all(
        ["gw-1", "gw-2"].map((deviceId) => send(deviceId, distinct(shapes, deviceId + prefix))),
      );
      return query.mock.calls.length - before;
    };
    await statementsOf(1, "first");
    const few = await statementsOf(1, "few");
    expect(await statementsOf(240, "many")).toBe(few);
    expect(few).toBeLessThan(20);
  });

  it("are one row each when two processes add them at once, in any order", async () => {
    const second = await openPostgresStore({ url, poolSize: 2 });
    const values = distinct(60);
    const records = [...values].reverse().map((value) => sampleRecord({ seq: seq++, value }));
    const append = { deviceId: "gw-2", receivedAt: sampleTime, records, once: null };
    await Promise.all([send("gw-1", values), second.telemetry.append(append)]);
    await second.close();
    expect(await count("telemetry_shapes")).toBe(60);
    expect(await count("telemetry", "shape IS NULL")).toBe(0);
    expect(await readRecordValues(store, "gw-2")).toEqual([...values].reverse());
  });
});

it("stores hours as text when the device's shapes are used up", async () => {
  await send("gw-1", distinct(perDevice));
  await send("gw-2", [{ a: 1 }]);
  await store.telemetry.rollUp({ before: sampleTime + 9e9, limit: 9 });
  expect(await count("telemetry_shapes")).toBe(perDevice + 2);
  expect(await count("telemetry_rollups", "shape IS NULL")).toBe(1);
});

const prune = () => store.telemetry.prune({ receivedBefore: sampleTime - 9e9, limit: 500 });

describe("shapes without uses", () => {
  it("are deleted in steps", async () => {
    await send("gw-1", [{ kept: 1 }]);
    await addUnused(700);
    await limitDeletions(other, "telemetry_shapes", 500);
    await prune();
    expect(await count("telemetry_shapes")).toBe(1);
    expect(await readRecordValues(store, "gw-1")).toEqual([{ kept: 1 }]);
  });

  it("are kept, without waiting, if another process begins to use them", async () => {
    await addUnused(3);
    await other.query(`BEGIN; INSERT INTO device_gateway.telemetry_shape_uses
      SELECT 1, max(id), 'record', 0 FROM device_gateway.telemetry_shapes`);
    await prune();
    await other.query("COMMIT");
    expect(await count("telemetry_shapes")).toBe(1);
  });

  it("are deleted with their last use, but not while a new use is being recorded", async () => {
    await send("gw-1", [{ a: 1 }]);
    await other.query(`BEGIN; INSERT INTO device_gateway.telemetry_shape_uses
      SELECT 1, id, 'record', ${sampleTime + 9e11} FROM device_gateway.telemetry_shapes`);
    await store.telemetry.prune({ receivedBefore: sampleTime + 9e10, limit: 500 });
    await other.query("COMMIT");
    expect(await count("telemetry_shapes")).toBe(1);
  });
});

/** A number that no device has. */
const nobody = 1_000_000;

describe("shapes whose uses have ended", () => {
  it("are deleted in steps, and do not block appends", async () => {
    await send("gw-1", [{ kept: 1 }]);
    await other.query(
      `WITH added AS (
         INSERT INTO device_gateway.telemetry_shapes (id, skeleton)
         SELECT n, 'unused ' || n FROM generate_series(1, 1200) AS n RETURNING id
       )
       INSERT INTO device_gateway.telemetry_shape_uses
       SELECT ${nobody}, id, 'record', 0 FROM added`,
    );
    await other.query(`BEGIN;
      DELETE FROM device_gateway.telemetry_shape_uses WHERE device = ${nobody} AND shape % 2 = 0`);
    expect(await send("gw-1", [{ kept: 2 }])).toEqual(stored);
    expect(await send("gw-1", [{ fresh: 1 }])).toEqual(stored);
    expect(await prune(), "what others are at is left to them").toBe(0);
    await other.query("COMMIT");
    for (let step = 0; step < 3; step++) await prune();
    expect(await count("telemetry_shape_uses", `device = ${nobody}`)).toBe(0);
    expect(await readRecordValues(store, "gw-1")).toEqual([{ kept: 1 }, { kept: 2 }, { fresh: 1 }]);
  });

  it("are stored again when a record needs them while they are deleted", async () => {
    await send("gw-1", [{ shared: 1 }]);
    await other.query(`BEGIN; DELETE FROM device_gateway.telemetry_shape_uses;
      DELETE FROM device_gateway.telemetry; DELETE FROM device_gateway.telemetry_shapes`);
    const sending = send("gw-2", [{ shared: 2 }]);
    await other.query("COMMIT");
    expect(await sending).toEqual(stored);
    expect(await readRecordValues(store, "gw-2")).toEqual([{ shared: 2 }]);
  });
});

it("rolls up hours whose shape another process has deleted meanwhile", async () => {
  const rollUp = () => store.telemetry.rollUp({ before: sampleTime + 2 * 86_400_000, limit: 9 });
  await send("gw-1", [{ a: 1 }]);
  await rollUp();
  await other.query(`DELETE FROM device_gateway.telemetry_shape_uses WHERE kind = 'hour';
    DELETE FROM device_gateway.telemetry_rollups;
    DELETE FROM device_gateway.telemetry_shapes WHERE skeleton = '["a"]'`);
  await send("gw-2", [{ a: 2 }]);
  expect(await rollUp()).toEqual({ built: 1, more: false });
  expect(await count("telemetry_rollups", "shape IS NOT NULL")).toBe(1);
});

it("leaves out the records of a missing shape, and no others, and logs it once", async () => {
  await send("gw-1", [{ kept: 1 }, { lost: 1 }, { lost: 2 }, { kept: 2 }]);
  const rollUp = () => store.telemetry.rollUp({ before: sampleTime + 2 * 86_400_000, limit: 9 });
  await rollUp();
  await other.query(`DELETE FROM device_gateway.telemetry_shape_uses;
    DELETE FROM device_gateway.telemetry_shapes WHERE skeleton LIKE '%lost%'`);
  const logger = { ...silentLogger, error: vi.fn<Logger["error"]>() };
  const reader = await openPostgresStore({ url, poolSize: 2, logger });
  const { telemetry } = reader;
  const range = { deviceId: "gw-1", from: 0, to: 2 * sampleTime, receivedFrom: 0 };
  const all = { names: [], prefixes: [], topLevel: true };
  expect(await readRecordValues(reader, "gw-1")).toEqual([{ kept: 1 }, { kept: 2 }]);
  // A page of missing records is not the end.
  const first = await telemetry.samples({ ...range, order: "oldest_first", after: null, limit: 1 });
  const next = { ...range, order: "oldest_first", after: first[0] ?? null, limit: 1 } as const;
  expect((await telemetry.samples(next)).map(({ value }) => value)).toEqual([{ kept: 2 }]);
  const leaves = await telemetry.leaves({ ...range, after: null, limit: 9, namesOnly: false });
  expect(leaves.map(({ values }) => values)).toEqual([[1], [2]]);
  const page = await telemetry.metrics({ ...range, selection: all, before: null, limit: 3 });
  expect(page).toMatchObject({ samples: [{ values: [2] }], next: {} });
  const buckets = await telemetry.aggregate({ ...range, intervalMs: 3_600_000, selection: all });
  expect(buckets).toMatchObject([{ name: "kept", sum: 3 }]);
  expect(await telemetry.latest([{ deviceId: "gw-1", from: 0 }])).toMatchObject([
    { value: { kept: 2 } },
  ]);
  await reader.close();
  const messages = logger.error.mock.calls.map(([, message]) => message);
  const missing = messages.filter((message) => /telemetry is missing/.test(message));
  // One shape of records and one of the hour's names.
  expect(missing).toHaveLength(2);
});
