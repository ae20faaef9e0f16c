import Database from "better-sqlite3";
import {
  applicationId,
  migrations,
} from "../../../packages/store-sqlite/src/migrations/migrations.js";

/** The device in the old database and its number of records. */
export const oldDevice = { deviceId: "old", records: 300 };

/** Creates a database of the first schema version, with records that later migrations convert. */
export function makeOldDatabase(file: string): void {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.exec(migrations[0] ?? "");
  database.pragma("user_version = 1");
  database.pragma(`application_id = ${applicationId}`);
  database
    .prepare(
      `INSERT INTO devices (device_id, revision, hardware_id, firmware_version, target_hardware,
         capabilities, claim_code_spent, secret_hash, credential_epoch, credential_issued_at,
         config_overrides, config_revision, owned_before, registered_at)
       VALUES (?, 1, 'h', '1.0.0', 'h', '{}', 0, 's', 1, 1, '{}', 0, 0, ?)`,
    )
    .run(oldDevice.deviceId, Date.now());
  const insert = database.prepare(
    `INSERT INTO telemetry (device_id, at, received_at, seq, content_hash, body)
     VALUES (?, ?, ?, NULL, NULL, ?)`,
  );
  database.transaction(() => {
    for (let n = 0; n < oldDevice.records; n++) {
      const at = Date.now() - n * 60_000;
      insert.run(oldDevice.deviceId, at, at, JSON.stringify({ reading: `old-${n}`, voltage: n }));
    }
  })();
  database.close();
}
