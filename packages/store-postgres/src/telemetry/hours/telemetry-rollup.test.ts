import type { AggregateQuery, GatewayStore } from "@device-gateway/core/store";
import { registerSampleDevice, sampleRecord, sampleTime } from "@device-gateway/testing";
import { Client, type QueryResult } from "pg";
import { describe, expect, it, vi } from "vitest";
import { createLineageWatch } from "../../database/changes/lineage.js";
import { type Connection, openConnection } from "../../database/connection/connection.js";
import { useStoreAndClient } from "../../testing/use-store-and-client.js";
import { createTelemetryCaches } from "../telemetry-caches.js";
import { createTelemetryStore } from "../telemetry-store.js";

const hour = 3_600_000;
const start = Math.floor(sampleTime / hour) * hour;
const before = start + 100 * hour;
const devices = ["gw-1", "gw-2", "gw-3"];

let store: GatewayStore;
let other: Client;
let url: string;
useStoreAndClient(async (opened) => {
  ({ store, other, url } = opened);
  for (const deviceId of devices) await registerSampleDevice(store, deviceId);
});

const send = (deviceId: string, at: number, n = 1) =>
  store.telemetry.append({
    ...{ deviceId, receivedAt: start, once: null },
    records: [sampleRecord({ at, isTimed: false, value: { n } })],
  });

const numberOf = (deviceId: string): string =>
  `(SELECT number FROM device_gateway.device_activity WHERE device_id = '${deviceId}')`;

/** Inserts `count` records with this content between two times, and opens their hours. */
async function fill(deviceId: string, from: number, to: number, count: number, content: string) {
  const at = `${from} + n * ${(to - from) / count}::numeric`;
  await other.query(
    `INSERT INTO device_gateway.telemetry
     SELECT nextval('device_gateway.telemetry_positions'), floor(${at}), ${start}, NULL,
       ${numberOf(deviceId)}, NULL, false, convert_to(${content}, 'UTF8')
     FROM generate_series(0, ${count - 1}) AS n;
     INSERT INTO device_gateway.telemetry_open_hours
     SELECT DISTINCT device, at - mod(at, ${hour}) FROM device_gateway.telemetry
     ON CONFLICT DO NOTHING`,
  );
}
const small = `'{"n":1}'`;
/** A record of 200 KB, which Postgres compresses. */
const large = `'{"n":1,"text":"' || repeat('x', 200000) || '"}'`;

/** Returns the devices whose first hour is rolled up. */
async function rolledUp(): Promise<string[]> {
  const { rows } = await other.query<{ id: string }>(
    `SELECT device_id AS id FROM device_gateway.telemetry_rollups AS r
     JOIN device_gateway.device_activity AS a ON a.number = r.device ORDER BY device_id`,
  );
  return rows.map(({ id }) => id);
}

const query = (deviceId: string): AggregateQuery => ({
  ...{ deviceId, from: start, to: before, receivedFrom: 0, intervalMs: hour },
  selection: { names: ["n"], prefixes: [], topLevel: false },
});
const countsOf = async (deviceId: string) =>
  (await store.telemetry.aggregate(query(deviceId))).map(({ count }) => count);

/** Calls `rollUp` until it has nothing left. */
async function rollUp(limit: number, { telemetry }: Pick<GatewayStore, "telemetry"> = store) {
  for (let calls = 0; calls < 20; calls++) {
    if (!(await telemetry.rollUp({ before, limit })).more) return;
  }
  throw new Error("The roll-up does not end.");
}

/** Returns the largest number of bytes of contents that one statement returned to some work. */
async function mostBytesReadBy(work: () => Promise<unknown>): Promise<number> {
  const asked = vi.spyOn(Client.prototype, "query");
  await work();
  const results = await Promise.all(
    asked.mock.results.map(({ value }) => value as unknown as Promise<QueryResult>),
  );
  asked.mockRestore();
  const bytes = results.map(({ rows = [] }) =>
    rows.reduce((sum, { content }) => sum + (content?.length ?? 0), 0),
  );
  return Math.max(...bytes);
}

describe("large records", () => {
  it("are rolled up, and read, in pages of about a megabyte", async () => {
    await send("gw-1", start);
    await fill("gw-1", start + 1, start + hour, 20, large);
    const most = 2 ** 20 + 200_100;
    expect(await mostBytesReadBy(() => countsOf("gw-1"))).toBeLessThan(most);
    expect(await mostBytesReadBy(() => rollUp(9))).toBeLessThan(most);
    expect(await rolledUp()).toEqual(["gw-1"]);
    expect(await countsOf("gw-1")).toEqual([21]);
  });

  it("are read in several statements if they are the latest of several devices", async () => {
    for (const deviceId of devices) {
      await send(deviceId, start);
      await fill(deviceId, start + 1, start + 2, 1, large.replace("200000", "900000"));
    }
    const asked = devices.map((deviceId) => ({ deviceId, from: 0 }));
    const expected = devices.map(() => ({ at: start + 1 }));
    const latest = async () => expect(await store.telemetry.latest(asked)).toMatchObject(expected);
    expect(await mostBytesReadBy(latest)).toBeLessThan(2_000_000);
  });
});

describe("large roll-ups", () => {
  const metrics = (seed: number) =>
    Object.fromEntries(Array.from({ length: 1_023 }, (_, n) => [`m${n}`, Math.sin(seed + n)]));

  it("are read in pages of about a megabyte", async () => {
    await store.telemetry.append({
      ...{ deviceId: "gw-1", receivedAt: start, once: null },
      records: [0, 1].map((n) =>
        sampleRecord({ at: start + n, isTimed: false, value: { n, ...metrics(n) } }),
      ),
    });
    await rollUp(9);
    await other.query(
      `INSERT INTO device_gateway.telemetry_rollups
       SELECT device, hour + n * ${hour}, shape, content
       FROM device_gateway.telemetry_rollups, generate_series(1, 99::bigint) AS n`,
    );
    // An open hour is read from its records.
    await send("gw-1", start + 40 * hour);
    let counts: number[] = [];
    const bytes = await mostBytesReadBy(async () => {
      counts = await countsOf("gw-1");
    });
    expect(counts).toEqual(Array.from({ length: 100 }, (_, n) => (n === 40 ? 1 : 2)));
    expect(bytes).toBeGreaterThan(2 ** 20);
    expect(bytes).toBeLessThan(2 ** 21);
  });
});

describe("an hour that cannot be rolled up", () => {
  it("does not stop the others, and is reported at the end", async () => {
    for (const [n, deviceId] of devices.entries()) await send(deviceId, start + n * hour);
    await other.query(
      `CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.hour = ${start} THEN RAISE 'not now'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON device_gateway.telemetry_rollups FOR EACH ROW
       EXECUTE FUNCTION pg_temp.refuse()`,
    );
    await expect(rollUp(1)).rejects.toThrow("not now");
    expect(await rolledUp()).toEqual(["gw-2", "gw-3"]);
    await expect(rollUp(9), "again").rejects.toThrow("not now");
    await other.query("DROP TRIGGER refuse ON device_gateway.telemetry_rollups");
    await rollUp(9);
    expect(await rolledUp()).toEqual(devices);
  });
});

describe("an hour with very many records", () => {
  it("is rolled up after all others", async () => {
    await send("gw-1", start);
    await fill("gw-1", start, start + hour, 20_000, small);
    await send("gw-2", start + hour);
    expect(await store.telemetry.rollUp({ before, limit: 9 })).toEqual({ built: 1, more: true });
    expect(await rolledUp()).toEqual(["gw-2"]);
    expect(await store.telemetry.rollUp({ before, limit: 9 })).toEqual({ built: 1, more: false });
    expect(await rolledUp()).toEqual(["gw-1", "gw-2"]);
    expect(await countsOf("gw-1")).toEqual([20_001]);
  });

  it("is rolled up even if each call is for another time", async () => {
    await send("gw-1", start);
    await fill("gw-1", start, start + hour, 20_000, small);
    const call = (n: number) => store.telemetry.rollUp({ before: before + n, limit: 9 });
    expect(await call(1)).toEqual({ built: 0, more: true });
    expect(await call(2)).toEqual({ built: 1, more: false });
  });
});

describe("an hour that gets a record whenever it is read", () => {
  /** Opens a telemetry store. While it rolls up, the first hour of gw-1 gets a record after each page. */
  function openDisturbed(connection: Connection) {
    const { readStep } = connection;
    const disturbed: Connection = {
      ...connection,
      async readStep(work, deadline) {
        const read = await readStep(work, deadline);
        await send("gw-1", start + 1);
        return read;
      },
    };
    const caches = createTelemetryCaches(createLineageWatch(undefined), undefined);
    return createTelemetryStore(disturbed, caches, async () => {});
  }

  it("does not keep later hours from being rolled up", async () => {
    const source = { url, poolSize: 2 };
    const connection = await openConnection({ source, schema: "device_gateway" });
    try {
      await send("gw-1", start);
      await send("gw-2", start + hour);
      await rollUp(1, { telemetry: openDisturbed(connection) });
      expect(await rolledUp()).toEqual(["gw-2"]);
    } finally {
      await connection.close();
    }
    await rollUp(1);
    expect(await rolledUp()).toEqual(["gw-1", "gw-2"]);
  });
});

describe("reopening hours", () => {
  /** Reopens hours of gw-1. Also returns the number of transactions. */
  async function reopen(hours: number) {
    const asked = vi.spyOn(Client.prototype, "query");
    const range = { deviceId: "gw-1", from: start, to: start + hours * hour };
    const outcome = await store.telemetry.reopenHours(range);
    const begins = asked.mock.calls.filter(([text]) => /^BEGIN/.test(String(text)));
    asked.mockRestore();
    return { ...outcome, transactions: begins.length };
  }

  it("locks the device for a limited number of records at a time", async () => {
    await send("gw-1", start);
    await fill("gw-1", start, start + 10 * hour, 12_000, small);
    await fill("gw-1", start + 10 * hour, start + 11 * hour, 6_000, small);
    await rollUp(99);
    expect(await reopen(11)).toEqual({ reopened: 11, kept: 0, transactions: 3 });
    const { rows } = await other.query("SELECT FROM device_gateway.telemetry_open_hours");
    expect(rows).toHaveLength(11);
    await rollUp(99);
    expect(await countsOf("gw-1")).toEqual([1_201, ...Array(9).fill(1_200), 6_000]);
  });

  it("locks the device for a limited number of roll-ups at a time", async () => {
    await send("gw-1", start);
    await rollUp(9);
    await other.query(
      `INSERT INTO device_gateway.telemetry_rollups
       SELECT device, hour + n * ${hour}, shape, content
       FROM device_gateway.telemetry_rollups, generate_series(1, 1200::bigint) AS n`,
    );
    expect(await reopen(1_201)).toEqual({ reopened: 1_201, kept: 0, transactions: 3 });
  });
});
