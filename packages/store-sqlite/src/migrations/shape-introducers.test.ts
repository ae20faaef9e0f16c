import {
  readRecordValues,
  sampleOwnership,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createTemporaryFile } from "../testing/temporary-file.js";
import { applicationId, migrations } from "./migrations.js";

let temporary: ReturnType<typeof createTemporaryFile>;
beforeEach(() => {
  temporary = createTemporaryFile();
});
afterEach(() => temporary.remove());

/** Creates a database of version 7 with the maximum number of shapes. */
function makeOldDatabase(): void {
  const database = new Database(temporary.file);
  for (const migration of migrations.slice(0, 7)) database.exec(migration);
  database.pragma("user_version = 7");
  database.pragma(`application_id = ${applicationId}`);
  database.exec(
    `INSERT INTO devices (device_id, revision, hardware_id, firmware_version, target_hardware,
       capabilities, claim_code_spent, secret_hash, credential_epoch, credential_issued_at,
       config_overrides, config_revision, owner_id, claimed_at, visible_from, owned_before, registered_at)
     VALUES ('gw-1', 1, 'h', '1.0.0', 'h', '{}', 0, 's', 1, 1, '{}', 0,
       '${sampleOwnership().ownership?.ownerId}', 1, 0, 1, 1);
     INSERT INTO telemetry_shapes (skeleton)
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
     SELECT '{"old-' || n || '":' || char(1) || '}' FROM numbers`,
  );
  database.close();
}

it("leaves claimed devices their whole quota, and every earlier shape usable", async () => {
  makeOldDatabase();
  const store = await openSqliteStore(temporary);
  const values = [{ "old-7": 1 }, { fresh: 1 }];
  const records = values.map((value, seq) => sampleRecord({ seq, value }));
  const append = { deviceId: "gw-1", receivedAt: sampleTime, records, once: null };
  expect(await store.telemetry.append(append)).toMatchObject({ kind: "appended" });
  expect(await readRecordValues(store, "gw-1")).toEqual(values);
  await store.close();
  const database = new Database(temporary.file);
  const stored = database.prepare("SELECT shape IS NULL FROM telemetry").pluck().all();
  const shapes = database.prepare("SELECT count(*) FROM telemetry_shapes").pluck().get();
  database.close();
  expect(stored).toEqual([0, 0]);
  expect(shapes).toBe(10_001);
});
