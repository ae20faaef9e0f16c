import { registerSampleDevice, sampleTime } from "@device-gateway/testing";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { openPostgresStore, type PostgresStore } from "../open-postgres-store.js";
import { createMigratedDatabase } from "../testing/migrated-database.js";
import { askOn, runOn, type TemporaryDatabase } from "../testing/temporary-database.js";

const dayMs = 86_400_000;
const today = Math.floor(sampleTime / dayMs);
/** Records of ten other devices, and then of gw-1. Those of gw-1 that arrived later are older. */
const ofOthers = 100_000;
const own = 10_000;
const fill = `
  SELECT device_gateway.make_telemetry_partition(${today});
  SELECT device_gateway.make_telemetry_partition(${today - 1});
  INSERT INTO device_gateway.telemetry
  SELECT nextval('device_gateway.telemetry_positions'), ${sampleTime} - n % 1000, ${sampleTime}, NULL,
    1000 + n % 10, NULL, true, '{}' FROM generate_series(1, ${ofOthers}) AS n;
  INSERT INTO device_gateway.telemetry
  SELECT nextval('device_gateway.telemetry_positions'), ${sampleTime} - n * 8640, ${sampleTime}, n,
    (SELECT number FROM device_gateway.device_activity WHERE device_id = 'gw-1'), NULL, true, '{}'
  FROM generate_series(1, ${own}) AS n`;

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await createMigratedDatabase(inject("postgresUrl"));
  await withStore(async (store) => {
    for (const deviceId of ["gw-1", "gw-2"]) await registerSampleDevice(store, deviceId);
  });
  await runOn(database.url, fill);
  await runOn(database.url, "VACUUM ANALYZE");
});
afterAll(() => database.remove());

async function withStore<Outcome>(work: (store: PostgresStore) => Promise<Outcome>) {
  const store = await openPostgresStore({ url: database.url, poolSize: 1 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Returns how many rows and index entries of telemetry were read so far. */
async function countReads(): Promise<number> {
  // A connection's statistics are complete only after it has ended.
  const countOthers = async () =>
    (
      await askOn(
        database.url,
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
         AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      )
    ).length;
  await expect.poll(countOthers).toBe(0);
  const [reads] = await askOn<{ count: string }>(
    database.url,
    `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname ~ '^telemetry_\\d')
       + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname ~ '^telemetry_\\d') AS count`,
  );
  return Number(reads?.count);
}

const numbersFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

it.each([
  ["whose records are the last ones", "gw-1", numbersFrom(1, 200)],
  ["without records", "gw-2", []],
])("reads few records of others to find those of a device %s", async (_, deviceId, expected) => {
  const before = await countReads();
  const page = await withStore(({ telemetry }) =>
    telemetry.read({ deviceId, after: 0, limit: 200 }),
  );
  expect(page.map(({ seq }) => seq)).toEqual(expected);
  expect((await countReads()) - before).toBeLessThan((ofOthers + own) / 4);
});

it("reads a device's records in order of arrival, whatever their times", async () => {
  const found = await withStore(async ({ telemetry }) => {
    const seqs: (number | null)[] = [];
    for (let after = 0; ; ) {
      const page = await telemetry.read({ deviceId: "gw-1", after, limit: 3_000 });
      const last = page.at(-1);
      if (last === undefined) return seqs;
      seqs.push(...page.map(({ seq }) => seq));
      after = last.position;
    }
  });
  expect(found).toEqual(numbersFrom(1, own));
});

it("returns nothing after positions that are not assigned yet", async () => {
  const after = Number.MAX_SAFE_INTEGER;
  const page = await withStore(({ telemetry }) =>
    telemetry.read({ deviceId: "gw-1", after, limit: 9 }),
  );
  expect(page).toEqual([]);
});

it("skips the days whose records all arrived before", async () => {
  const [days, perDay, deviceId] = [10, 2_000, "gw-3"];
  await withStore((store) => registerSampleDevice(store, deviceId));
  const insert = (at: string, device: string, count: number) => `
    INSERT INTO device_gateway.telemetry
    SELECT nextval('device_gateway.telemetry_positions'), ${at}, ${sampleTime}, n, ${device}, NULL, true, '{}'
    FROM generate_series(1, ${count}) AS n`;
  const number = `(SELECT number FROM device_gateway.device_activity WHERE device_id = '${deviceId}')`;
  for (let day = days; day > 0; day--) {
    await runOn(database.url, `SELECT device_gateway.make_telemetry_partition(${today - day})`);
    await runOn(database.url, insert(`${(today - day) * dayMs} + n`, number, perDay));
  }
  const [newest] = await askOn<{ position: number }>(
    database.url,
    "SELECT last_value::integer AS position FROM device_gateway.telemetry_positions",
  );
  await runOn(database.url, insert(`${sampleTime} - n % 1000`, "1000 + n % 10", 12_000));
  await runOn(database.url, insert(`${sampleTime}`, number, 1));
  await runOn(database.url, "VACUUM ANALYZE");
  const before = await countReads();
  const page = await withStore(({ telemetry }) =>
    telemetry.read({ deviceId, after: newest?.position ?? 0, limit: 500 }),
  );
  expect(page.map(({ seq }) => seq)).toEqual([1]);
  expect((await countReads()) - before).toBeLessThan((days * perDay) / 4);
});
