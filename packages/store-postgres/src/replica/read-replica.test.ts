import type { JsonObject } from "@device-gateway/core/store";
import {
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openPostgresStore, type PostgresStore } from "../open-postgres-store.js";
import { type ReplicatedServers, startReplicatedServers } from "../testing/replicated-servers.js";
import { askOn, runOn } from "../testing/temporary-database.js";

let servers: ReplicatedServers;
/** Its replica may be an hour behind. */
let store: PostgresStore;
beforeAll(async () => {
  servers = await startReplicatedServers();
  store = await openWith(3_600_000);
});
afterAll(async () => {
  await store.close();
  await servers.stop();
});

const openWith = (maxReadLagMs: number) =>
  openPostgresStore({
    ...{ url: servers.primary.url, readUrl: servers.standby.url, maxReadLagMs, poolSize: 4 },
  });

let deviceId = "";
let devices = 0;
beforeEach(async () => {
  await runOn(servers.standby.url, "SELECT pg_wal_replay_resume()");
  deviceId = `gw-${++devices}`;
  await register();
});

const register = () =>
  store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
const send = (value: JsonObject) =>
  store.telemetry.append({
    ...{ deviceId, receivedAt: sampleTime, once: null },
    records: [sampleRecord({ value, isTimed: false })],
  });

async function pauseReplay(): Promise<void> {
  const { url } = servers.standby;
  await runOn(url, "SELECT pg_wal_replay_pause()");
  const state = async () => {
    const rows = await askOn<{ state: string }>(
      url,
      "SELECT pg_get_wal_replay_pause_state() AS state",
    );
    return rows[0]?.state;
  };
  await expect.poll(state).toBe("paused");
}

const openReads = async (from = store) => {
  const reads = await from.openReads?.();
  if (reads === undefined) throw new Error("The store has no replica.");
  return reads;
};
/** Waits until the replica answers, or the primary does. */
const untilAnsweredBy = (who: "replica" | "primary", from = store) =>
  expect.poll(async () => (await openReads(from)).lagMs === null).toBe(who === "primary");

async function readValues(reads: Awaited<ReturnType<typeof openReads>>) {
  const range = { deviceId, from: 0, to: 2 * sampleTime, receivedFrom: 0 };
  const page = { ...range, order: "oldest_first", after: null, limit: 9 } as const;
  const samples = await reads.telemetry.samples(page);
  const buckets = await reads.telemetry.aggregate({
    ...{ ...range, intervalMs: 3_600_000 },
    selection: { names: [], prefixes: [], topLevel: true },
  });
  const values = samples.map(({ value }) => value);
  return { values, sums: buckets.map(({ name, sum }) => [name, sum]) };
}

it("history comes from the replica, and the response says how old its data may be", async () => {
  await send({ a: 1 });
  await servers.catchUp();
  await untilAnsweredBy("replica");
  await pauseReplay();
  await send({ a: 2 });
  const reads = await openReads();
  expect(reads.lagMs).toBeGreaterThan(0);
  expect(await readValues(reads)).toEqual({ values: [{ a: 1 }], sums: [["a", 1]] });
  expect(await readValues({ ...reads, telemetry: store.telemetry })).toEqual({
    values: [{ a: 1 }, { a: 2 }],
    sums: [["a", 3]],
  });
  expect(await reads.updates.counts(1)).toEqual({});
});

it("a device that was erased and registered again on the primary has none of its former data", async () => {
  await send({ former: 1 });
  await servers.catchUp();
  await untilAnsweredBy("replica");
  await pauseReplay();
  const reads = await openReads();
  const event = sampleSecurityEvent(deviceId, "device.erased");
  await store.devices.erase({ deviceId, block: false, event });
  expect(await readValues(reads)).toEqual({ values: [], sums: [] });
  await register();
  await send({ own: 2 });
  expect(await readValues(reads)).toEqual({ values: [{ own: 2 }], sums: [["own", 2]] });
});

it("the primary answers while the replica is further behind than the bound, or gone", async () => {
  const strict = await openWith(1_000);
  await untilAnsweredBy("replica", strict);
  const early = await openReads(strict);
  await pauseReplay();
  await send({ a: 1 });
  await untilAnsweredBy("primary", strict);
  for (const reads of [early, await openReads(strict)]) {
    expect((await readValues(reads)).values).toEqual([{ a: 1 }]);
  }
  await runOn(servers.standby.url, "SELECT pg_wal_replay_resume()");
  await untilAnsweredBy("replica", strict);
  await servers.standby.kill();
  await untilAnsweredBy("primary", strict);
  expect((await readValues(await openReads(strict))).values).toEqual([{ a: 1 }]);
  await servers.standby.restart();
  await untilAnsweredBy("replica", strict);
  await strict.close();
});
