import { expect, it } from "vitest";
import { openConnection } from "../database/connection.js";
import { createTelemetryStore } from "./telemetry-store.js";

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
