import {
  createBucketAggregator,
  digestContent,
  type GatewayStore,
  type JsonObject,
  type MetricSelection,
} from "@device-gateway/core/store";
import {
  fieldHeartbeat,
  fieldRecord,
  sampleDevice,
  sampleEvent,
  sampleTime,
} from "@device-gateway/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openConnection } from "../database/connection.js";
import { createDeviceStore } from "../device/device-store.js";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createTemporaryFile } from "../testing/temporary-file.js";
import { applicationId, migrations } from "./migrations.js";

const hour = 3_600_000;
const start = Math.floor(sampleTime / hour) * hour;
const devices = ["gw-1", "gw-2"];

let temporary: ReturnType<typeof createTemporaryFile>;
beforeEach(() => {
  temporary = createTemporaryFile();
});
afterEach(() => temporary.remove());

interface OldRecord {
  readonly deviceId: string;
  readonly at: number;
  readonly seq: number | null;
  readonly isTimed: boolean;
  readonly body: string;
}

/** A record with awkward names and values, as version 1 stored it. */
const awkward = JSON.stringify(
  JSON.parse(
    String.raw`{"__proto__":{"a":1},"10":[],"2":-0.5,"s":"\ud800\u0000 漢","e":1.7976931348623157e308}`,
  ),
);

/**
 * Three hours of two devices, an instant with many records, and records whose positions were
 * pruned.
 */
const oldRecords: readonly OldRecord[] = devices.flatMap((deviceId, d) => [
  ...Array.from({ length: 36 }, (_, n) => ({
    deviceId,
    at: start + n * 300_000,
    seq: n % 3 === 0 ? n : null,
    isTimed: n % 2 === 0,
    body: JSON.stringify({ ...(n % 5 === 0 ? fieldHeartbeat : fieldRecord), n, voltage: n / 10 }),
  })),
  ...Array.from({ length: 20 }, (_, n) => ({
    deviceId,
    at: start + 777,
    seq: null,
    isTimed: n % 4 > 0,
    body: JSON.stringify({ crowd: n + d }),
  })),
  { deviceId, at: start + 778, seq: -1, isTimed: true, body: awkward },
]);

/** Creates a database of version 1. */
async function makeOldDatabase(): Promise<void> {
  const database = new Database(temporary.file);
  database.exec(migrations[0] ?? "");
  database.pragma("user_version = 1");
  database.pragma(`application_id = ${applicationId}`);
  database.exec("BEGIN");
  const insertDevice = database.prepare(
    `INSERT INTO devices (device_id, revision, hardware_id, firmware_version, target_hardware,
       capabilities, claim_code_spent, secret_hash, credential_epoch, credential_issued_at,
       config_overrides, config_revision, owned_before, registered_at)
     VALUES (?, 1, 'h', '1.0.0', 'h', '{}', 0, 's', 1, 1, '{}', 0, 0, 1)`,
  );
  for (const deviceId of ["erased", ...devices]) insertDevice.run(deviceId);
  database.exec("DELETE FROM devices WHERE device_id = 'erased'");
  const insert = database.prepare(
    `INSERT INTO telemetry (device_id, at, received_at, seq, content_hash, body)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  for (const { deviceId, at, seq, isTimed, body } of oldRecords) {
    const hash = isTimed ? digestContent(JSON.parse(body) as JsonObject) : null;
    insert.run(deviceId, at, at + 1_000, seq, hash, body);
  }
  // The last positions were assigned and their records deleted.
  insert.run("gw-2", start, start, 99, "pruned", "{}");
  database.exec("DELETE FROM telemetry WHERE content_hash = 'pruned'");
  // The first hour of gw-1 is rolled up, the others are open. One roll-up has no records any more.
  const [first] = hoursOf("gw-1");
  const metrics = Object.fromEntries(
    (first ?? []).map(({ name, min, max, sum, count, first: begin, last }) => [
      name,
      [min, max, sum, count, begin, last],
    ]),
  );
  const insertHour = database.prepare("INSERT INTO telemetry_rollups VALUES (?, ?, ?)");
  insertHour.run("gw-1", start, JSON.stringify(metrics));
  insertHour.run("gw-1", start - 48 * hour, '{"voltage":[1,3,4,2,1,3]}');
  database.exec(`
    UPDATE telemetry_watermark SET position = (SELECT max(position) FROM telemetry),
      pruned_before = ${start - 40 * hour};
    INSERT INTO telemetry_open_hours
    SELECT DISTINCT device_id, at - at % ${hour} FROM telemetry
    WHERE device_id = 'gw-2' OR at >= ${start + hour};
    COMMIT`);
  database.close();
}

/** Computes the roll-ups of a device from its records. */
function hoursOf(deviceId: string) {
  const sent = oldRecords.filter((record) => record.deviceId === deviceId);
  const ordered = sent.toSorted((a, b) => a.at - b.at);
  const folder = createBucketAggregator(hour);
  for (const { at, body } of ordered) {
    const { voltage } = JSON.parse(body) as { voltage?: number };
    if (voltage !== undefined) folder.addSample(at, ["voltage"], [voltage]);
  }
  const buckets = folder.buckets();
  const starts = [...new Set(buckets.map((bucket) => bucket.start))];
  return starts.map((begin) => buckets.filter((bucket) => bucket.start === begin));
}

const selection: MetricSelection = { names: ["voltage"], prefixes: [], topLevel: false };

async function expectSame(store: GatewayStore): Promise<void> {
  for (const deviceId of devices) {
    const sent = oldRecords.filter((record) => record.deviceId === deviceId);
    const stored = await store.telemetry.read({ deviceId, after: 0, limit: 1_000 });
    expect(
      stored.map(({ at, receivedAt, seq, value }) => ({
        ...{ at, receivedAt, seq },
        body: JSON.stringify(value),
      })),
    ).toEqual(sent.map(({ at, seq, body }) => ({ at, receivedAt: at + 1_000, seq, body })));
    const range = { deviceId, from: start, to: start + 24 * hour, receivedFrom: 0 };
    const buckets = await store.telemetry.aggregate({ ...range, intervalMs: hour, selection });
    // Version 1 rolled up the first hour of gw-1 without the rest of its sum.
    const plain = hoursOf(deviceId).flat();
    expect(buckets.map(({ rest: _, ...bucket }) => bucket)).toEqual(
      plain.map(({ rest: _, ...bucket }) => bucket),
    );
  }
}

it("migrates records and roll-ups of version 1 exactly", async () => {
  await makeOldDatabase();
  const store = await openSqliteStore(temporary);
  await expectSame(store);
  while ((await store.telemetry.rollUp({ before: start + 24 * hour, limit: 10 })).more);
  await expectSame(store);
  const gone = { deviceId: "gw-1", from: start - 72 * hour, to: start, receivedFrom: 0 };
  expect(await store.telemetry.aggregate({ ...gone, intervalMs: hour, selection })).toMatchObject([
    { start: start - 48 * hour, min: 1, max: 3, sum: 4, count: 2, first: 1, last: 3, rest: 0 },
  ]);
  await store.close();
});

it("recognises duplicates of records of version 1, and reuses no position", async () => {
  await makeOldDatabase();
  const store = await openSqliteStore(temporary);
  const last = oldRecords.length + 1;
  expect(await store.telemetry.lastPositions(["gw"])).toEqual([last]);
  for (const deviceId of devices) {
    const sent = oldRecords.filter((record) => record.deviceId === deviceId);
    const records = sent.map(({ at, seq, isTimed, body }) => {
      return { at, seq, isTimed, value: JSON.parse(body) as JsonObject };
    });
    const outcome = await store.telemetry.append({
      deviceId,
      receivedAt: start + 24 * hour,
      records,
      once: null,
    });
    const verdicts = sent.map(({ isTimed }) => (isTimed ? "duplicate" : "stored"));
    expect(outcome).toEqual({ kind: "appended", verdicts });
  }
  const untimed = oldRecords.filter(({ isTimed }) => !isTimed).length;
  expect(await store.telemetry.lastPositions(["gw"])).toEqual([last + untimed]);
  await store.close();
});

it("assigns later devices new numbers", async () => {
  await makeOldDatabase();
  const connection = await openConnection(temporary.file);
  const device = sampleDevice("gw-3");
  await createDeviceStore(connection, async () => {}).register({
    device,
    event: sampleEvent("gw-3"),
  });
  await connection.close();
  const store = await openSqliteStore(temporary);
  const records = [{ at: start, seq: null, isTimed: false, value: { voltage: 1 } }];
  const input = { deviceId: "gw-3", receivedAt: start, records, once: null };
  expect(await store.telemetry.append(input)).toMatchObject({ verdicts: ["stored"] });
  await expectSame(store);
  expect(await store.telemetry.read({ deviceId: "gw-3", after: 0, limit: 9 })).toHaveLength(1);
  await store.close();
});
