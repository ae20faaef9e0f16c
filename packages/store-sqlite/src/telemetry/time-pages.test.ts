import type { RecordPlace } from "@device-gateway/core/store";
import { expect, it, vi } from "vitest";
import { openConnection } from "../database/connection.js";
import { prepareTimePages, type TimePages } from "./time-pages.js";

const instant = 5_000;
const range = { device: 1, from: 0, to: 10_000, receivedFrom: 100 };

/** Opens a database in which the record with the position p is at `instant`, or 1 to 3 around it. */
async function openCrowd() {
  const { database, close } = await openConnection(":memory:");
  database.exec(
    `INSERT INTO telemetry (device, at, received_at, timed, content)
     WITH RECURSIVE counted (n) AS (
       SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 2200)
     SELECT 1 + (n % 2), iif(n % 200 < 4, ${instant} + n % 7 - 3, ${instant}),
       iif(n % 11 = 0, 99, 100), 0, CAST('{}' AS BLOB)
     FROM counted`,
  );
  const inOrder = database
    .prepare<[number, number], number>(
      `SELECT position FROM telemetry WHERE device = 1 AND received_at >= 100 AND at >= ? AND at < ?
       ORDER BY at, position`,
    )
    .pluck();
  return { database, close, inOrder };
}

function readAll(read: TimePages["oldestFirst"], some = range, first: RecordPlace | null = null) {
  const positions: number[] = [];
  for (let after = first; ; ) {
    const { rows } = read(some, after, 7);
    positions.push(...rows.map(({ position }) => position));
    if (rows.length < 7) return positions;
    after = rows.at(-1) ?? null;
  }
}

it("pages through an instant of 1,000 records return each record once, in both directions", async () => {
  const { database, close, inOrder } = await openCrowd();
  const { oldestFirst, shapesOldestFirst, newestFirst } = prepareTimePages(database);
  const expected = inOrder.all(range.from, range.to);
  expect(inOrder.all(instant, instant + 1).length).toBeGreaterThan(900);
  expect(expected.length).toBeGreaterThan(inOrder.all(instant, instant + 1).length);
  expect(readAll(oldestFirst)).toEqual(expected);
  expect(readAll(shapesOldestFirst)).toEqual(expected);
  expect(readAll(newestFirst)).toEqual(expected.reverse());
  await close();
});

it("a page has only records of its range, wherever the place is after which it starts", async () => {
  const { database, close, inOrder } = await openCrowd();
  const { oldestFirst, newestFirst } = prepareTimePages(database);
  for (const [from, to] of [
    [instant, instant + 1],
    [instant + 1, instant + 9],
    [instant - 9, instant],
  ] as const) {
    const expected = inOrder.all(from, to);
    const place = { at: instant, position: 1_001 };
    const isBefore = (position: number) =>
      from === instant ? position < place.position : to <= instant;
    const part = { ...range, from, to };
    const before = expected.filter(isBefore);
    expect(readAll(oldestFirst, part, place)).toEqual(expected.slice(before.length));
    expect(readAll(newestFirst, part, place)).toEqual(before.reverse());
  }
  await close();
});

it("a page that starts within an instant does not read the index entries of earlier pages", async () => {
  const { database, close } = await openConnection(":memory:");
  const prepare = vi.spyOn(database, "prepare");
  prepareTimePages(database);
  const statements = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();
  const parameters = { ...range, at: instant, position: 500, limit: 7 };
  const plans = statements.map((sql) =>
    database
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(parameters)
      .map(({ detail }) => detail.replace(/^.*\(/, "(")),
  );
  const ofRange = ["(device=? AND at>? AND at<?)"];
  const ascending = [["(device=? AND at=? AND rowid>?)"], ofRange];
  const descending = [["(device=? AND at=? AND rowid<?)"], ofRange];
  expect(plans).toEqual([...ascending, ...ascending, ...descending]);
  await close();
});
