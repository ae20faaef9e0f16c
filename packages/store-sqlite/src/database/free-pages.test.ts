import { statSync } from "node:fs";
import type { GatewayStore } from "@device-gateway/core/store";
import { registerSampleDevice, sampleRecord, sampleTime } from "@device-gateway/testing";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createTemporaryFile } from "../testing/temporary-file.js";

let temporary: ReturnType<typeof createTemporaryFile>;
let store: GatewayStore | undefined;
beforeEach(() => {
  temporary = createTemporaryFile();
});
afterEach(async () => {
  await store?.close();
  temporary.remove();
});

/** Stores some 20 MB of records that expire, and a few that do not. */
async function fill(into: GatewayStore): Promise<void> {
  await registerSampleDevice(into, "gw-1");
  const text = "x".repeat(50_000);
  for (let n = 0; n < 40; n++) {
    const records = Array.from({ length: 10 }, (_, m) =>
      sampleRecord({ at: sampleTime + n * 10 + m, value: { text } }),
    );
    await into.telemetry.append({
      deviceId: "gw-1",
      receivedAt: n < 39 ? 1 : 3,
      records,
      once: null,
    });
  }
}

async function prune(into: GatewayStore): Promise<void> {
  while ((await into.telemetry.prune({ receivedBefore: 2, limit: 100 })) > 0);
}

/** Returns the size of the file, after its log is written into it. */
function sizeOf(file: string): number {
  const database = new Sqlite(file);
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
  return statSync(file).size;
}

it("gives the space of expired records back, and keeps the other records", async () => {
  store = await openSqliteStore(temporary);
  await fill(store);
  const full = sizeOf(temporary.file);
  await prune(store);
  await expect.poll(() => sizeOf(temporary.file)).toBeLessThan(full / 4);
  const kept = await store.telemetry.read({ deviceId: "gw-1", after: 0, limit: 99 });
  expect(kept).toHaveLength(10);
});

it("uses the free space of an older file for new records, and does not give it back", async () => {
  const older = new Sqlite(temporary.file);
  older.exec(
    "PRAGMA auto_vacuum = NONE; PRAGMA application_id = 0; CREATE TABLE t (a); DROP TABLE t",
  );
  older.close();
  store = await openSqliteStore(temporary);
  await fill(store);
  const full = sizeOf(temporary.file);
  await prune(store);
  expect(sizeOf(temporary.file)).toBe(full);
  await registerSampleDevice(store, "gw-2");
  const records = [sampleRecord({ value: { text: "y".repeat(50_000) } })];
  await store.telemetry.append({ deviceId: "gw-2", receivedAt: 3, records, once: null });
  expect(sizeOf(temporary.file)).toBe(full);
});
