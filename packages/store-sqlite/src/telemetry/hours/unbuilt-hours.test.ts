import { createPacer, hourMs } from "@device-gateway/core/store";
import { expect, it, vi } from "vitest";
import { openConnection } from "../../database/connection.js";
import { type ArrivedPart, prepareOpenHours } from "./open-hours.js";
import { findUnbuilt } from "./unbuilt-hours.js";

it("searches the records of a device for unbuilt hours in bounded steps", async () => {
  const connection = await openConnection(":memory:");
  const { database } = connection;
  const fill = database.prepare<[{ device: number; first: number; apart: number; count: number }]>(
    `INSERT INTO telemetry (device, at, received_at, timed, content)
     WITH RECURSIVE counted (n) AS (
       SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n + 1 < @count)
     SELECT @device, @first + n * @apart, 0, 0, CAST('{}' AS BLOB) FROM counted`,
  );
  const add = (hour: number, count: number, apart = 0) =>
    fill.run({ device: 1, first: hour * hourMs, apart, count });
  // Hours 0 to 11 have 12,000 records, and an instant of the hours 12 and 13 has 12,000 each.
  add(0, 12_000, hourMs / 1_000);
  for (const hour of [12, 13]) add(hour, 12_000);
  const followed = database
    .prepare<[], number>("SELECT max(position) FROM telemetry")
    .pluck()
    .get();
  database.prepare<[number]>("UPDATE telemetry_watermark SET position = ?").run(followed ?? 0);
  database.exec(`INSERT INTO telemetry_open_hours (device, hour) VALUES (1, ${3 * hourMs})`);
  for (const hour of [11, 13, 20]) add(hour, 1);
  const hours = prepareOpenHours(database);
  const arrived = vi.spyOn(hours, "arrived");
  const pacer = createPacer({ now: () => 0 });
  const search = async () => {
    arrived.mockClear();
    const range = { device: 1, from: 0, to: 30 * hourMs };
    return (await findUnbuilt(connection, hours, range, pacer)).map((hour) => hour / hourMs);
  };
  expect(await search()).toEqual([3, 11, 13, 20]);
  expect(arrived).toHaveBeenCalledTimes(1);
  // With many records that are not followed, the index of the device is searched.
  fill.run({ device: 2, first: 0, apart: 1, count: 5_000 });
  expect(await search()).toEqual([3, 11, 13, 20]);
  const ends = arrived.mock.results.map(({ value }) => (value as ArrivedPart).end);
  // A step searches 5,000 entries, or one instant. It skips the rest of an hour that it found.
  const instants = [12, 12 + 1 / hourMs, 13, 13 + 1 / hourMs];
  expect(ends).toEqual([5, 10, ...instants, 30].map((hour) => hour * hourMs));
  await connection.close();
});

it("finds the later records of an instant without reading its earlier ones", async () => {
  const { database, close } = await openConnection(":memory:");
  const prepare = vi.spyOn(database, "prepare");
  prepareOpenHours(database);
  const lookUps = prepare.mock.calls.filter(([sql]) => /at = \? AND position > \?/.test(sql));
  prepare.mockRestore();
  expect(lookUps).toHaveLength(1);
  const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${lookUps[0]}`);
  expect(plan.all(1, 2, 3).map(({ detail }) => detail)).toEqual([
    expect.stringContaining("(device=? AND at=? AND rowid>?)"),
  ]);
  await close();
});
