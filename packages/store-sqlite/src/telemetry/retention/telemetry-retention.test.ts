import { expect, it, vi } from "vitest";
import { openConnection } from "../../database/connection.js";
import { createTelemetryStore } from "../telemetry-store.js";

it("passes over any number of records that were received while the clock was ahead, and deletes them later", async () => {
  const connection = await openConnection(":memory:");
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  const { database } = connection;
  const fill = database.prepare<[{ receivedAt: number; count: number }]>(
    `INSERT INTO telemetry (device, at, received_at, timed, content)
     WITH RECURSIVE counted (n) AS (
       SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < @count)
     SELECT 1, n, @receivedAt, 0, CAST('{}' AS BLOB) FROM counted`,
  );
  const left = database
    .prepare<[], number>("SELECT DISTINCT received_at FROM telemetry ORDER BY received_at")
    .pluck();
  const prune = (receivedBefore: number) => telemetry.prune({ receivedBefore, limit: 10_000 });
  fill.run({ receivedAt: 900, count: 25_000 });
  fill.run({ receivedAt: 100, count: 7_000 });
  fill.run({ receivedAt: 300, count: 1 });
  expect(await prune(100)).toBe(0);
  expect(await prune(200)).toBe(7_000);
  expect(left.all()).toEqual([300, 900]);
  expect(await prune(901)).toBe(10_000);
  expect(await prune(901)).toBe(10_000);
  expect(await prune(901)).toBe(5_001);
  await connection.close();
});

it("deletes large records in steps of about a megabyte, and small ones in one step", async () => {
  const connection = await openConnection(":memory:");
  const writeStep = vi.spyOn(connection, "writeStep");
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  const fill = connection.database.prepare<[{ bytes: number; count: number }]>(
    `INSERT INTO telemetry (device, at, received_at, timed, content)
     WITH RECURSIVE counted (n) AS (
       SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < @count)
     SELECT 1, n, 100, 0, zeroblob(@bytes) FROM counted`,
  );
  const prune = async (limit: number) => {
    writeStep.mockClear();
    const deleted = await telemetry.prune({ receivedBefore: 200, limit });
    return [deleted, writeStep.mock.calls.length];
  };
  fill.run({ bytes: 280_000, count: 110 });
  expect(await prune(100)).toEqual([100, 25]);
  expect(await prune(100)).toEqual([10, 3]);
  fill.run({ bytes: 100, count: 150 });
  expect(await prune(100)).toEqual([100, 1]);
  expect(await prune(100)).toEqual([50, 1]);
  await connection.close();
});

it("deletes large roll-ups in steps of about a megabyte, and small ones in one step", async () => {
  const connection = await openConnection(":memory:");
  const writeStep = vi.spyOn(connection, "writeStep");
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  const fill = connection.database.prepare<[{ bytes: number; count: number }]>(
    `INSERT INTO telemetry_rollups (device, hour, content)
     WITH RECURSIVE counted (n) AS (
       SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < @count)
     SELECT 1, n * 3600000, zeroblob(@bytes) FROM counted`,
  );
  const prune = async (limit: number) => {
    writeStep.mockClear();
    const deleted = await telemetry.pruneRollUps({ before: 1e12, limit });
    return [deleted, writeStep.mock.calls.length];
  };
  fill.run({ bytes: 280_000, count: 10 });
  expect(await prune(6)).toEqual([6, 2]);
  expect(await prune(500)).toEqual([4, 1]);
  fill.run({ bytes: 100, count: 600 });
  expect(await prune(500)).toEqual([500, 1]);
  expect(await prune(500)).toEqual([100, 1]);
  await connection.close();
});
