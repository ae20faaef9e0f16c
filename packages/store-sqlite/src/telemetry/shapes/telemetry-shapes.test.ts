import { type GatewayStore, type JsonObject, shapeBounds } from "@device-gateway/core/store";
import {
  fieldHeartbeat,
  fieldRecord,
  readRecordValues,
  readSecurityEvents,
  sampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../open-sqlite-store.js";
import { createTemporaryFile } from "../../testing/temporary-file.js";

let temporary: ReturnType<typeof createTemporaryFile>;
let store: GatewayStore;
let rawDatabase: Database.Database;
beforeEach(async () => {
  temporary = createTemporaryFile();
  store = await openSqliteStore(temporary);
  rawDatabase = new Database(temporary.file);
});
afterEach(async () => {
  rawDatabase.close();
  await store.close();
  temporary.remove();
});

const register = (deviceId: string) =>
  store.devices.register({
    device: sampleDevice(deviceId, sampleOwnership()),
    event: sampleEvent(deviceId),
  });

let seq = 0;
async function send(deviceId: string, values: readonly JsonObject[], to = store) {
  const records = values.map((value) => sampleRecord({ seq: seq++, value, isTimed: false }));
  const receivedAt = sampleTime;
  return to.telemetry.append({ deviceId, receivedAt, records, once: null });
}

const count = (table: string, where = "1") =>
  rawDatabase.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get() as number;

describe("the shapes of records", () => {
  it("are stored once for all devices", async () => {
    for (const deviceId of ["gw-1", "gw-2"]) {
      await register(deviceId);
      for (let n = 0; n < 20; n++) await send(deviceId, [{ ...fieldRecord, n }, fieldHeartbeat]);
    }
    expect(count("telemetry_shapes")).toBe(2);
    expect(count("telemetry", "shape IS NULL")).toBe(0);
    expect(await readRecordValues(store, "gw-2")).toHaveLength(40);
  });

  it("have a limit per device; further records are stored as text", async () => {
    await register("gw-1");
    const values = Array.from({ length: 200 }, (_, n) => ({ [`name-${n}`]: n, text: "漢" }));
    await send("gw-1", values);
    await send("gw-1", [...values].reverse());
    expect(await readRecordValues(store, "gw-1")).toEqual([...values, ...[...values].reverse()]);
    expect(count("telemetry_shapes")).toBe(shapeBounds.perDevice);
    expect(count("telemetry", "shape IS NULL")).toBe(2 * (200 - shapeBounds.perDevice));
    // Another device has its own quota. Shapes that already exist count against it too.
    await register("gw-2");
    await send("gw-2", values.slice(100));
    await send("gw-2", [fieldRecord]);
    expect(count("telemetry_shapes")).toBe(2 * shapeBounds.perDevice);
    expect(await readRecordValues(store, "gw-2")).toEqual([...values.slice(100), fieldRecord]);
  });

  it("have a limit for all claimed devices, and a maximum length", async () => {
    await register("gw-1");
    const long = { ["n".repeat(shapeBounds.skeletonLength)]: 1 };
    await send("gw-1", [long]);
    expect(count("telemetry_shapes")).toBe(0);
    rawDatabase.exec(`INSERT INTO telemetry_shapes (skeleton, device, owner_id)
      WITH RECURSIVE numbers (n) AS
        (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${shapeBounds.claimed})
      SELECT n, n, 'owner ' || n FROM numbers`);
    await send("gw-1", [{ a: 1 }, { b: 1 }]);
    expect(count("telemetry_shapes")).toBe(shapeBounds.claimed);
    expect(await readRecordValues(store, "gw-1")).toEqual([long, { a: 1 }, { b: 1 }]);
  });

  it("are deleted with the last record and the last hour that use them", async () => {
    await register("gw-1");
    await send("gw-1", [{ old: 1 }]);
    await store.telemetry.rollUp({ before: sampleTime + 9e9, limit: 9 });
    // As if other devices had sent many records: a use is recorded thousands of positions ahead.
    rawDatabase.exec("UPDATE sqlite_sequence SET seq = seq + 100000 WHERE name = 'telemetry'");
    await send("gw-1", [{ fresh: 1 }]);
    const prune = (limit: number) =>
      store.telemetry.prune({ receivedBefore: sampleTime + 1, limit });
    const skeletons = () =>
      rawDatabase.prepare("SELECT skeleton FROM telemetry_shapes ORDER BY id").pluck().all();
    expect(skeletons()).toEqual(['{"old":\u0001}', '["old"]', '{"fresh":\u0001}']);
    await prune(1);
    expect(skeletons()).toEqual(['["old"]', '{"fresh":\u0001}']);
    expect(await readRecordValues(store, "gw-1")).toEqual([{ fresh: 1 }]);
    await store.telemetry.pruneRollUps({ before: sampleTime + 9e7, limit: 9 });
    expect(skeletons(), "noted for a month ahead").toEqual(['["old"]', '{"fresh":\u0001}']);
    await store.telemetry.pruneRollUps({ before: sampleTime + 9e12, limit: 9 });
    expect(skeletons()).toEqual(['{"fresh":\u0001}']);
    // A deleted shape is created again when a record needs it.
    await send("gw-1", [{ old: 2 }]);
    expect(await readRecordValues(store, "gw-1")).toEqual([{ fresh: 1 }, { old: 2 }]);
  });

  it("are deleted with their device, unless another one uses them", async () => {
    for (const deviceId of ["gw-1", "gw-2"]) {
      await register(deviceId);
      await send(deviceId, [{ shared: 1 }, { [`of-${deviceId}`]: 1 }]);
    }
    await store.telemetry.rollUp({ before: sampleTime + 9e9, limit: 9 });
    const [registration] = await readSecurityEvents(store, "gw-1");
    const event = { ...registration, kind: "device.erased" } as ReturnType<typeof sampleEvent>;
    await store.devices.erase({ deviceId: "gw-1", block: false, event });
    const skeletons = rawDatabase
      .prepare("SELECT skeleton FROM telemetry_shapes ORDER BY id")
      .pluck()
      .all();
    expect(skeletons).toEqual(['{"shared":\u0001}', '{"of-gw-2":\u0001}', '["shared","of-gw-2"]']);
    for (const table of ["telemetry", "telemetry_rollups", "telemetry_shape_uses"]) {
      expect(count(table, "device = 1")).toBe(0);
    }
    expect(await readRecordValues(store, "gw-2")).toEqual([{ shared: 1 }, { "of-gw-2": 1 }]);
  });

  it("are not confused when another process deletes and adds some", async () => {
    await register("gw-1");
    await send("gw-1", [{ a: 1 }, { b: 1 }]);
    const other = await openSqliteStore(temporary);
    await store.telemetry.prune({ receivedBefore: sampleTime + 1, limit: 9 });
    rawDatabase.exec("UPDATE sqlite_sequence SET seq = seq + 100000 WHERE name = 'telemetry'");
    await other.telemetry.prune({ receivedBefore: sampleTime + 1, limit: 9 });
    expect(count("telemetry_shapes")).toBe(0);
    await send("gw-1", [{ c: 1 }, { b: 2 }], other);
    await send("gw-1", [{ a: 3 }, { b: 3 }, { c: 3 }]);
    const expected = [{ c: 1 }, { b: 2 }, { a: 3 }, { b: 3 }, { c: 3 }];
    for (const handle of [store, other])
      expect(await readRecordValues(handle, "gw-1")).toEqual(expected);
    await other.close();
  });

  it("are kept longer when a record extends their use, unless it was rolled back", async () => {
    await register("gw-1");
    const usedTo = () =>
      rawDatabase
        .prepare("SELECT used_to FROM telemetry_shape_uses WHERE kind = 'record'")
        .pluck()
        .get();
    await send("gw-1", [{ a: 1 }]);
    const first = usedTo() as number;
    rawDatabase.exec("UPDATE sqlite_sequence SET seq = seq + 1000000 WHERE name = 'telemetry'");
    rawDatabase.exec(`CREATE TRIGGER refuse BEFORE INSERT ON telemetry
      BEGIN SELECT raise(ABORT, 'refused'); END`);
    await expect(send("gw-1", [{ a: 2 }])).rejects.toThrow("refused");
    expect(usedTo()).toBe(first);
    rawDatabase.exec("DROP TRIGGER refuse");
    await send("gw-1", [{ a: 3 }]);
    expect(usedTo()).toBeGreaterThan(1_000_000);
    expect(count("telemetry_shapes")).toBe(1);
  });

  it("are not cached if their transaction was rolled back", async () => {
    await register("gw-1");
    rawDatabase.exec(`CREATE TRIGGER refuse BEFORE INSERT ON telemetry WHEN NEW.seq = 5
      BEGIN SELECT raise(ABORT, 'refused'); END`);
    seq = 4;
    await expect(send("gw-1", [{ a: 1 }, { b: 1 }])).rejects.toThrow("refused");
    expect(count("telemetry_shapes")).toBe(0);
    seq = 6;
    await send("gw-1", [{ b: 2 }, { a: 2 }]);
    expect(await readRecordValues(store, "gw-1")).toEqual([{ b: 2 }, { a: 2 }]);
  });
});
