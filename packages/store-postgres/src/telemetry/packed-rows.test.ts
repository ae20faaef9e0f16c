import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { askOn, createTemporaryDatabase } from "../testing/temporary-database.js";
import { type PackedRows, packedPage, unpackRows } from "./packed-rows.js";

let database: Awaited<ReturnType<typeof createTemporaryDatabase>>;

beforeAll(async () => {
  database = await createTemporaryDatabase(inject("postgresUrl"));
  await askOn(
    database.url,
    `CREATE TABLE rows (position bigint, at bigint, received_at bigint, seq bigint, shape integer, content bytea)`,
  );
});

afterAll(() => database.remove());

it("returns the rows of a page as they are stored, in order, until they are too large", async () => {
  const { MAX_SAFE_INTEGER: max, MIN_SAFE_INTEGER: min } = Number;
  const large = { receivedAt: 2 ** 41, shape: 2 ** 31 - 1, content: randomBytes(400_000) };
  const rows = [
    { position: 2 ** 40, at: -1, receivedAt: 0, seq: null, shape: null, content: randomBytes(0) },
    { position: 1, at: 0, receivedAt: 1, seq: max, shape: 1, content: randomBytes(20_000) },
    { position: 2, at: 0, receivedAt: -(2 ** 33), seq: min, shape: 0, content: randomBytes(3) },
    ...Array.from({ length: 3 }, (_, n) => ({ ...large, position: 3 + n, at: 2 ** 42, seq: n })),
    { ...large, position: 9, at: 2 ** 43, seq: null },
  ];
  const literals = rows.toReversed().map(({ position, at, receivedAt, seq, shape, content }) => {
    const hex = `'\\x${content.toString("hex")}'`;
    return `(${[position, at, receivedAt, seq ?? "NULL", shape ?? "NULL", hex].join()})`;
  });
  await askOn(database.url, `INSERT INTO rows VALUES ${literals.join()}`);
  const read = async (limit: number) => {
    const byTime = "at, position";
    const query = packedPage(`SELECT * FROM rows ORDER BY ${byTime} LIMIT ${limit}`, byTime);
    const values = await askOn<PackedRows>(database.url, query);
    return { values, page: unpackRows(values, (a, b) => a.at - b.at || a.position - b.position) };
  };
  const { values, page } = await read(100);
  expect(values.length).toBeGreaterThan(3);
  // The page ends with the row that exceeds 1 MiB.
  expect(page).toEqual(rows.slice(0, -1).map((row) => ({ ...row, hasNext: true })));
  const { page: firstTwo } = await read(2);
  expect(firstTwo.map(({ hasNext }) => hasNext)).toEqual([true, false]);
});
