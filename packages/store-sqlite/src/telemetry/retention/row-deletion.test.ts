import { expect, it } from "vitest";
import { openConnection } from "../../database/connection.js";
import { prepareSizedDeletion } from "./row-deletion.js";

it("deletes about a megabyte of large records at once, and small ones up to the limit", async () => {
  const connection = await openConnection(":memory:");
  const { database } = connection;
  const fill = database.prepare<[{ bytes: number; count: number }]>(
    `INSERT INTO telemetry (device, at, received_at, timed, content)
     WITH RECURSIVE counted (n) AS (
       SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < @count)
     SELECT 1, n, 100, 0, zeroblob(@bytes) FROM counted`,
  );
  const left = database.prepare<[], number>("SELECT count(*) FROM telemetry").pluck();
  const deleteRecords = prepareSizedDeletion(database, "telemetry", "position");
  fill.run({ bytes: 280_000, count: 6 });
  expect(deleteRecords(1, 50)).toBe(50);
  expect(left.get()).toBe(2);
  expect(deleteRecords(1, 50)).toBe(2);
  fill.run({ bytes: 100, count: 80 });
  expect(deleteRecords(1, 50)).toBe(50);
  expect(left.get()).toBe(30);
  await connection.close();
});
