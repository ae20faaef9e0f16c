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
 * Creates a database of version 6: one device has used its credential, one has a pending
 * credential.
 */
function makeOldDatabase(): void {
  const database = new Database(temporary.file);
  for (const migration of migrations.slice(0, 6)) database.exec(migration);
  database.pragma("user_version = 6");
  database.pragma(`application_id = ${applicationId}`);
  const insertDevice = database.prepare(
    `INSERT INTO devices (device_id, revision, hardware_id, firmware_version, target_hardware,
       capabilities, claim_code_spent, secret_hash, credential_epoch, credential_issued_at,
       pending_secret_hash, pending_epoch, pending_issued_at, config_overrides, config_revision,
       owned_before, registered_at)
     VALUES (?, 1, 'h', '1.0.0', 'h', '{}', 0, 's', 1, 1, ?, ?, ?, '{}', 0, 0, 1)`,
  );
  insertDevice.run("settled", null, null, null);
  insertDevice.run("pending", "p", 2, 2);
  database.close();
}

it("counts an earlier pending credential as created by a registration", async () => {
  makeOldDatabase();
  const store = await openSqliteStore(temporary);
  const pending = { secretHash: "p", epoch: 2, issuedAt: 2, isRotation: false };
  expect((await store.devices.find("pending"))?.pendingCredential).toEqual(pending);
  expect((await store.devices.find("settled"))?.pendingCredential).toBeNull();
  await store.close();
});
