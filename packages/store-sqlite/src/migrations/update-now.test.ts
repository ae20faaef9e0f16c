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

const request = { requestId: "one", requestedAt: 5, status: null, message: null, answeredAt: null };
const answered = { ...request, status: "downloading", answeredAt: 6 };

/** Creates a database of version 20: one device has a request that waits, one has answered. */
function makeOldDatabase(): void {
  const database = new Database(temporary.file);
  for (const migration of migrations.slice(0, 20)) database.exec(migration);
  database.pragma("user_version = 20");
  database.pragma(`application_id = ${applicationId}`);
  const insertDevice = database.prepare(
    `INSERT INTO devices (device_id, revision, hardware_id, firmware_version, target_hardware,
       capabilities, claim_code_spent, secret_hash, credential_epoch, credential_issued_at,
       config_overrides, config_revision, owned_before, registered_at, owner_id, claimed_at,
       visible_from, ota_command)
     VALUES (?, 1, 'h', '1.0.0', 'h', '{}', 0, 's', 1, 1, '{}', 0, 1, 1, 'owner', 1, 0, ?)`,
  );
  insertDevice.run("waits", JSON.stringify(request));
  insertDevice.run("answered", JSON.stringify(answered));
  insertDevice.run("never asked", null);
  database.close();
}

it("turns a waiting “update now” request into a pending command, and no other request", async () => {
  makeOldDatabase();
  const store = await openSqliteStore(temporary);
  const list = (deviceId: string) =>
    store.commands.list({ deviceId, from: 0, before: null, limit: 9 });
  const expiresAt = 5 + 365 * 86_400_000;
  expect(await list("waits")).toEqual([
    {
      ...{ commandId: "one", deviceId: "waits", name: "update-now", payload: {}, sentBy: "owner" },
      ...{ sentAt: 5, key: null, expiresAt, answerWithinMs: 86_400_000, state: "pending" },
      ...{ deliveredAt: null, dueAt: expiresAt, endedAt: null, answer: null, answeredAt: null },
    },
  ]);
  expect(await store.devices.find("waits")).toMatchObject({
    commandsWaiting: true,
    ota: { command: request, isCommandOpen: true },
  });
  expect(await list("answered")).toEqual([]);
  expect(await store.devices.find("answered")).toMatchObject({
    commandsWaiting: false,
    ota: { command: answered, isCommandOpen: false },
  });
  expect(await list("never asked")).toEqual([]);
  await store.close();
});
