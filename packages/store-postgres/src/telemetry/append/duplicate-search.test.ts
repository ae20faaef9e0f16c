import type { GatewayStore, JsonObject } from "@device-gateway/core/store";
import { registerSampleDevice, sampleRecord, sampleTime } from "@device-gateway/testing";
import { Client, type QueryResult } from "pg";
import { expect, it, vi } from "vitest";
import { useStoreAndClient } from "../../testing/use-store-and-client.js";

const deviceId = "gw-1";
const instants = Array.from({ length: 40 }, (_, n) => sampleTime + n);
const large = (n: number): JsonObject => ({ n, text: "x".repeat(5_000) });

let store: GatewayStore;
useStoreAndClient(async (opened) => {
  ({ store } = opened);
  await registerSampleDevice(store, deviceId);
});

async function send(values: readonly (readonly [at: number, value: JsonObject])[]) {
  const records = values.map(([at, value]) => sampleRecord({ at, value }));
  const input = { deviceId, receivedAt: sampleTime, records, once: null };
  const outcome = await store.telemetry.append(input);
  return outcome.kind === "appended" ? outcome.verdicts : [];
}

/** Returns the rows that the database returned to some work. */
async function rowsReadBy(work: () => Promise<void>) {
  const query = vi.spyOn(Client.prototype, "query");
  await work();
  const results = await Promise.all(
    query.mock.results.map(({ value }) => value as unknown as Promise<QueryResult>),
  );
  query.mockRestore();
  return results.flatMap((result) => result.rows ?? []);
}

/** Returns how many bytes of contents the database returned to some work. */
async function bytesReadBy(work: () => Promise<void>): Promise<number> {
  const rows = await rowsReadBy(work);
  return rows.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
}

it("a record is compared only with stored records that are short enough to have its content", async () => {
  for (const at of instants) {
    await send(Array.from({ length: 8 }, (_, n) => [at, large(n)] as const));
  }
  const ofSmall = await bytesReadBy(async () => {
    const verdicts = await send(instants.map((at) => [at, { a: 1 }] as const));
    expect(verdicts).toEqual(instants.map(() => "stored"));
  });
  expect(ofSmall).toBe(0);
  const ofLarge = await bytesReadBy(async () => {
    const again = [7, 8].map((n) => [sampleTime, large(n)] as const);
    expect(await send(again)).toEqual(["duplicate", "stored"]);
  });
  expect(ofLarge).toBeGreaterThan(8 * 5_000);
  expect(ofLarge).toBeLessThan(8 * 5_100);
});

it("a record is not compared with stored records that have more nulls than it can have", async () => {
  const nulls = (n: number): JsonObject => ({ n, list: Array.from({ length: 3_000 }, () => null) });
  for (const at of instants) {
    await send(Array.from({ length: 8 }, (_, n) => [at, nulls(n)] as const));
  }
  const ofSmall = await bytesReadBy(async () => {
    const verdicts = await send(instants.map((at) => [at, { a: 1 }] as const));
    expect(verdicts).toEqual(instants.map(() => "stored"));
  });
  expect(ofSmall).toBe(0);
  const again = [7, 8].map((n) => [sampleTime, nulls(n)] as const);
  expect(await send(again)).toEqual(["duplicate", "stored"]);
});

it("the digest of a record is not compared with those of records with another seq", async () => {
  const sendEqual = async (seqs: readonly (number | null)[]) => {
    const records = seqs.map((seq) => sampleRecord({ seq, value: { a: 1 } }));
    const input = { deviceId, receivedAt: sampleTime, records, once: null };
    const outcome = await store.telemetry.append(input);
    return outcome.kind === "appended" ? outcome.verdicts : [];
  };
  const some = Array.from({ length: 400 }, (_, n) => n - 100);
  await sendEqual([...some, null]);
  const rows = await rowsReadBy(async () => {
    const seqs = [-101, 300, -1, 299, null];
    expect(await sendEqual(seqs)).toEqual([
      ...["stored", "stored"],
      ...["duplicate", "duplicate", "duplicate"],
    ]);
  });
  expect(rows.filter(({ digest }) => digest !== undefined)).toHaveLength(3);
});
