import {
  sampleAppendOnce,
  sampleDevice,
  sampleEvent,
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

/**
 * Creates a database of version 5: one device has sent records, one only requests without records.
 */
function makeOldDatabase(): void {
  const database = new Database(temporary.file);
  for (const migration of migrations.slice(0, 5)) database.exec(migration);
  database.pragma("user_version = 5");
  database.pragma(`application_id = ${applicationId}`);
  const insertDevice = database.prepare(
    `INSERT INTO devices (device_id, revision, hardware_id, firmware_version, target_hardware,
       capabilities, claim_code_spent, secret_hash, credential_epoch, credential_issued_at,
       config_overrides, config_revision, owned_before, registered_at, number)
     VALUES (?, 1, 'h', '1.0.0', 'h', '{}', 0, 's', 1, 1, '{}', 0, 0, 1, ?)`,
  );
  const { fingerprint, expiresAt, memo } = sampleAppendOnce("key");
  const insertKey = database.prepare("INSERT INTO telemetry_keys VALUES (?, 'key', ?, ?, ?, ?)");
  for (const [deviceId, number, verdicts] of [
    ["silent", null, null],
    ["quiet", null, "[]"],
    ["sender", 7, '["stored"]'],
  ] as const) {
    insertDevice.run(deviceId, number);
    if (verdicts !== null) insertKey.run(deviceId, fingerprint, expiresAt, verdicts, memo);
  }
  database.exec("UPDATE telemetry_counters SET last_device = 7");
  database.close();
}

it("keeps the used keys of each device", async () => {
  makeOldDatabase();
  const store = await openSqliteStore(temporary);
  const append = (deviceId: string) =>
    store.telemetry.append({
      deviceId,
      receivedAt: sampleTime,
      records: [sampleRecord({ isTimed: false })],
      once: sampleAppendOnce("key"),
    });
  const device = sampleDevice("new");
  await store.devices.register({ device, event: sampleEvent("new") });
  expect(await append("new")).toEqual({ kind: "appended", verdicts: ["stored"] });
  expect(await append("silent")).toEqual({ kind: "appended", verdicts: ["stored"] });
  expect(await append("quiet")).toEqual({ kind: "repeated", verdicts: [], memo: "memo" });
  expect(await append("sender")).toMatchObject({ kind: "repeated", verdicts: ["stored"] });
  await store.close();
  const database = new Database(temporary.file);
  const numbers = database.prepare("SELECT number FROM devices").pluck().all();
  database.close();
  expect(new Set(numbers).size).toBe(4);
});
