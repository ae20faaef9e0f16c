import { hourMs } from "@device-gateway/core/store";
import { expect, it, vi } from "vitest";
import { openConnection } from "../../database/connection.js";
import { prepareOpenHours } from "./open-hours.js";

it("later records of an hour are searched in bounded steps, without its earlier ones", async () => {
  const { database, close } = await openConnection(":memory:");
  const prepare = vi.spyOn(database, "prepare");
  const hours = prepareOpenHours(database);
  const searches = prepare.mock.calls.filter(([sql]) => /SELECT 1 .* position <= /s.test(sql));
  prepare.mockRestore();
  expect(searches).toHaveLength(1);
  const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${searches[0]}`);
  expect(plan.all(1, 2, 3, 4, 5).map(({ detail }) => detail)).toEqual([
    expect.stringContaining("INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
  ]);

  const fill = database.prepare<[{ device: number; at: number; count: number }]>(
    `INSERT INTO telemetry (device, at, received_at, timed, content)
     WITH RECURSIVE counted (n) AS (
       SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < @count)
     SELECT @device, @at, 0, 0, CAST('{}' AS BLOB) FROM counted`,
  );
  const hour = { device: 1, hour: hourMs };
  fill.run({ device: 1, at: hourMs, count: 10 });
  fill.run({ device: 2, at: hourMs, count: 10_000 });
  expect(hours.passOthers(hour, 9)).toBe(9);
  expect(hours.passOthers(hour, 10)).toBe(4_106);
  expect(hours.passOthers(hour, 4_106)).toBe(8_202);
  expect(hours.passOthers(hour, 8_202)).toBe(8_202);
  for (const at of [hourMs - 1, 2 * hourMs]) fill.run({ device: 1, at, count: 1 });
  expect(hours.hasNewer(hour, 8_202)).toBe(false);
  fill.run({ device: 1, at: 2 * hourMs - 1, count: 1 });
  expect(hours.hasNewer(hour, 8_202)).toBe(true);
  await close();
});
