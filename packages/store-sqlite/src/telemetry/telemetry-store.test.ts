import {
  sampleAppendOnce,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import { expect, it, vi } from "vitest";
import { openConnection } from "../database/connection.js";
import { createDeviceStore } from "../device/device-store.js";
import { countTurns } from "../testing/count-turns.js";
import { createTelemetryStore } from "./telemetry-store.js";

it("deletes expired keys when new ones arrive", async () => {
  const connection = await openConnection(":memory:");
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  const registration = { device: sampleDevice("gw-1"), event: sampleEvent("gw-1") };
  await createDeviceStore(connection, async () => {}).register(registration);
  const use = (key: string, receivedAt: number) =>
    telemetry.append({
      deviceId: "gw-1",
      receivedAt,
      records: [],
      once: sampleAppendOnce(key, { expiresAt: receivedAt + 1_000 }),
    });
  for (let n = 0; n < 40; n++) await use(`old-${n}`, sampleTime);
  for (let n = 0; n < 3; n++) await use(`new-${n}`, sampleTime + 1_001);
  const left = connection.database.prepare("SELECT key FROM telemetry_keys").pluck().all();
  expect(left).toEqual(["new-0", "new-1", "new-2"]);
  await connection.close();
});

it("reads a device's records in order of arrival, from far back and from nearby", async () => {
  const connection = await openConnection(":memory:");
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  const send = async (deviceId: string, first: number) => {
    // Their timestamps are in reverse order of arrival.
    const records = Array.from({ length: 5 }, (_, n) =>
      sampleRecord({ at: sampleTime - first - n, value: { n: first + n } }),
    );
    const input = { deviceId, receivedAt: sampleTime, records, once: null };
    expect(await telemetry.append(input)).toMatchObject({ kind: "appended" });
  };
  for (const deviceId of ["gw-1", "gw-2"]) {
    const registration = { device: sampleDevice(deviceId), event: sampleEvent(deviceId) };
    await createDeviceStore(connection, async () => {}).register(registration);
    await send(deviceId, 0);
  }
  const readAll = async () => {
    const read: unknown[] = [];
    for (let after = 0; ; ) {
      const page = await telemetry.read({ deviceId: "gw-1", after, limit: 2 });
      read.push(...page.map(({ value }) => value["n"]));
      if (page.length === 0) return read;
      after = page.at(-1)?.position ?? after;
    }
  };
  expect(await readAll()).toEqual([0, 1, 2, 3, 4]);
  connection.database.exec("UPDATE sqlite_sequence SET seq = 50000 WHERE name = 'telemetry'");
  await send("gw-2", 5);
  await send("gw-1", 5);
  expect(await readAll()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await connection.close();
});

it("searches far for the next record of a device with many records, in several turns of the event loop", async () => {
  const connection = await openConnection(":memory:");
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  for (const deviceId of ["gw-1", "gw-2"]) {
    const registration = { device: sampleDevice(deviceId), event: sampleEvent(deviceId) };
    await createDeviceStore(connection, async () => {}).register(registration);
  }
  connection.database.exec("UPDATE devices SET number = rowid");
  const fill = connection.database.prepare<[{ deviceId: string; count: number }]>(
    `INSERT INTO telemetry (device, at, received_at, timed, content)
     WITH RECURSIVE counted (n) AS (
       SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < @count)
     SELECT number, n, 0, 0, CAST('{}' AS BLOB) FROM counted, devices WHERE device_id = @deviceId`,
  );
  fill.run({ deviceId: "gw-1", count: 10_001 });
  fill.run({ deviceId: "gw-2", count: 35_000 });
  fill.run({ deviceId: "gw-1", count: 1 });
  const read = async (after: number, limit: number) => {
    const page = await telemetry.read({ deviceId: "gw-1", after, limit });
    return page.map(({ position }) => position);
  };
  expect(await read(0, 3)).toEqual([1, 2, 3]);
  expect(await read(9_999, 3)).toEqual([10_000, 10_001]);

  const { outcome, turns } = await countTurns(() => read(10_001, 3));
  expect(outcome).toEqual([45_002]);
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(await read(45_002, 3)).toEqual([]);
  await connection.close();
});

it("reads the latest records of a list in several turns of the event loop, in the given order", async () => {
  const connection = await openConnection(":memory:");
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  const deviceIds = Array.from({ length: 12 }, (_, n) => `gw-${n}`);
  for (const deviceId of deviceIds) {
    const registration = { device: sampleDevice(deviceId), event: sampleEvent(deviceId) };
    await createDeviceStore(connection, async () => {}).register(registration);
    const records = [sampleRecord({ value: { deviceId } })];
    await telemetry.append({ deviceId, receivedAt: sampleTime, records, once: null });
  }
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 3));
  const { outcome, turns } = await countTurns(() =>
    telemetry.latest(deviceIds.map((deviceId) => ({ deviceId, from: 0 }))),
  );
  clock.mockRestore();
  expect(outcome.map((record) => record?.value["deviceId"])).toEqual(deviceIds);
  expect(turns).toBeGreaterThanOrEqual(4);
  await connection.close();
});

it("does not search the records of a device that has sent none since the given time", async () => {
  const connection = await openConnection(":memory:");
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  const registration = { device: sampleDevice("gw-1"), event: sampleEvent("gw-1") };
  await createDeviceStore(connection, async () => {}).register(registration);
  const records = [sampleRecord({ at: sampleTime + 9 })];
  await telemetry.append({ deviceId: "gw-1", receivedAt: sampleTime, records, once: null });
  const latest = async () => {
    const [found] = await telemetry.latest([{ deviceId: "gw-1", from: sampleTime }]);
    return found?.at;
  };
  expect(await latest()).toBe(sampleTime + 9);
  // The record is as before, so only the time when the device last sent can exclude it.
  connection.database.exec(`UPDATE telemetry_senders SET last_at = ${sampleTime - 1}`);
  expect(await latest()).toBeUndefined();
  await connection.close();
});
