import type { AppendInput, GatewayStore } from "@device-gateway/core/store";
import { registerSampleDevice, sampleRecord, sampleTime } from "@device-gateway/testing";
import type { Client } from "pg";
import { expect, it } from "vitest";
import { useStoreAndClient } from "../../testing/use-store-and-client.js";
import { createAppendQueues } from "./append-queues.js";
import { commitSoon } from "./commit-turns.js";

let store: GatewayStore;
let other: Client;
useStoreAndClient(async (opened) => {
  ({ store, other } = opened);
  for (const deviceId of ["gw-1", "gw-2"]) await registerSampleDevice(store, deviceId);
});

const send = (deviceId: string, count: number) =>
  store.telemetry.append({
    ...{ deviceId, receivedAt: sampleTime, once: null },
    records: Array.from({ length: count }, (_, seq) => sampleRecord({ seq, isTimed: false })),
  });

async function countWaiting(): Promise<number> {
  const { rowCount } = await other.query(
    "SELECT FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))",
  );
  return rowCount ?? 0;
}

it("a changed OTA status does not wait while many records of another device are stored", async () => {
  await other.query(
    "BEGIN; SELECT FROM device_gateway.device_activity WHERE device_id = 'gw-1' FOR UPDATE",
  );
  const many = send("gw-1", 100);
  await expect.poll(countWaiting).toBeGreaterThan(0);
  const status = store.telemetry.append({
    ...{ deviceId: "gw-2", receivedAt: sampleTime, once: null },
    records: [sampleRecord({ isTimed: false })],
    otaReports: [],
  });
  expect(await status).toMatchObject({ kind: "appended" });
  await other.query("COMMIT");
  await Promise.allSettled([many]);
});

it("a few records do not wait while many records of another device are stored", async () => {
  await other.query(
    "BEGIN; SELECT FROM device_gateway.device_activity WHERE device_id = 'gw-1' FOR UPDATE",
  );
  const many = send("gw-1", 100);
  await expect.poll(countWaiting).toBeGreaterThan(0);
  // It waits for the same row, so it must not wait in one commit with records of other devices.
  const few = send("gw-1", 1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await send("gw-2", 1)).toMatchObject({ kind: "appended" });
  await other.query("COMMIT");
  // They may have reached their deadline.
  await Promise.allSettled([many, few]);
});

/** Commits that end when the test says so. Each is the devices and the number of records of its inputs. */
function createCommits() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const append = createAppendQueues(async (inputs) => {
    begun.push(inputs.map(({ deviceId, records }) => `${deviceId} ${records.length}`).join(", "));
    await new Promise<void>((resolve) => ends.push(resolve));
    return inputs.map(() => ({ kind: "appended", verdicts: [] }));
  }, commitSoon);
  const record = sampleRecord({});
  return {
    begun,
    send: (deviceId: string, count: number, changes: Partial<AppendInput> = {}) =>
      append({
        ...{ deviceId, receivedAt: sampleTime, once: null },
        records: Array.from({ length: count }, () => record),
        ...changes,
      }),
    async endAll() {
      for (const end of ends.splice(0)) end();
      await settled();
    },
  };
}

async function settled() {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
}

it("many records of a device wait until its few records are stored, so that no commit waits for its row", async () => {
  const { begun, send, endAll } = createCommits();
  const sent = [send("a", 1)];
  await settled();
  sent.push(send("b", 1), send("b", 500), send("c", 1));
  await settled();
  expect(begun).toEqual(["a 1"]);
  await endAll();
  expect(begun).toEqual(["a 1", "b 1, c 1"]);
  await endAll();
  expect(begun).toEqual(["a 1", "b 1, c 1", "b 500"]);
  await endAll();
  await Promise.all(sent);
});

it("requests of one device count together", async () => {
  const { begun, send, endAll } = createCommits();
  const sent = [send("a", 1)];
  await settled();
  sent.push(...[99, 99, 99, 99, 99, 99, 99].map((count) => send("b", count)), send("c", 1));
  await settled();
  await endAll();
  expect(begun).toEqual(["a 1", "b 99, c 1"]);
  await endAll();
  expect(begun.slice(2)).toEqual(["b 99, b 99, b 99, b 99, b 99"]);
  await endAll();
  expect(begun.slice(3)).toEqual(["b 99"]);
  await endAll();
  await Promise.all(sent);
});

it("a commit has at most 500 records, although they wait behind changed OTA statuses", async () => {
  const { begun, send, endAll } = createCommits();
  const withStatus = { otaReports: [] };
  const sent = [send("a", 1, withStatus)];
  await settled();
  sent.push(...[500, 500, 500].map((count) => send("a", count)));
  sent.push(...["b", "c", "d", "e", "f", "g"].map((deviceId) => send(deviceId, 99, withStatus)));
  await settled();
  for (let commits = 1; commits <= 6; commits++) {
    expect(begun).toHaveLength(commits);
    await endAll();
  }
  expect(begun).toEqual(["a 1", "a 500", "b 99, c 99, d 99, e 99, f 99", "g 99", "a 500", "a 500"]);
  await Promise.all(sent);
});
