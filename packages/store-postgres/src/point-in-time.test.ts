import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@device-gateway/core/store";
import {
  readRecordValues,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { expect, it, onTestFinished } from "vitest";
import { openPostgresStore } from "./open-postgres-store.js";
import {
  backUpServer,
  type PostgresServer,
  startFromBackup,
  startPostgresServer,
} from "./testing/postgres-server.js";
import { startTcpProxy } from "./testing/tcp-proxy.js";
import { runOn } from "./testing/temporary-database.js";

const deviceId = "gw-1";

it("a running process goes on with a database that was restored to a point in time", async () => {
  const archive = mkdtempSync(join(tmpdir(), "device-gateway-archive-"));
  onTestFinished(() => rmSync(archive, { recursive: true }));
  chmodSync(archive, 0o777);
  const servers: PostgresServer[] = [];
  // Runs after what is registered below, so that the store is closed first.
  onTestFinished(async () => void (await Promise.all(servers.map((each) => each.stop()))));
  const server = await startPostgresServer({
    archive_mode: "on",
    archive_command: `cp %p ${archive}/%f`,
  });
  servers.push(server);
  const backup = await backUpServer(server);
  onTestFinished(() => rmSync(backup, { recursive: true, force: true }));
  const door = await startTcpProxy(server.url);
  onTestFinished(() => door.close());
  const store = await openPostgresStore({ url: door.url });
  onTestFinished(() => store.close());
  const send = (value: JsonObject) =>
    store.telemetry.append({
      ...{ deviceId, receivedAt: sampleTime, once: null },
      records: [sampleRecord({ value, isTimed: false })],
    });
  /** An attempt against a budget of two. */
  const guess = async (reservationId: string) => {
    const budget = { key: "claim", limit: 2, windowMs: 3_600_000, whenSpent: "refuse" } as const;
    const event = sampleSecurityEvent(deviceId, "budget.spent");
    const input = { reservationId, budgets: [budget], now: sampleTime, event };
    return (await store.budgets.reserve(input)).kind;
  };
  await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  await send({ kept: 1 });
  await guess("before");
  await runOn(server.url, "SELECT pg_create_restore_point('wanted')");

  await send({ gone: 1 });
  await guess("after");
  expect(await guess("too many")).toBe("refused");
  const event = sampleSecurityEvent(deviceId, "device.revoked");
  await store.devices.revoke({ deviceId, now: sampleTime, event });
  const { cursor } = await store.changes.since(null);
  await runOn(server.url, "SELECT pg_switch_wal()");
  // Archives everything before it ends.
  await server.shutDown();

  const restored = await startFromBackup(backup, "recovery", {
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_name: "wanted",
    recovery_target_action: "promote",
  });
  servers.push(restored);
  door.switchTo(restored.url);
  await expect.poll(() => store.ping().then(() => true, String)).toBe(true);
  await send({ gone: 2 });
  expect(await readRecordValues(store, deviceId)).toEqual([{ kept: 1 }, { gone: 2 }]);
  expect((await store.changes.since(cursor)).kind).toBe("reset");
  // A restore undoes revocations, and gives attempts back.
  expect(await store.devices.find(deviceId)).toMatchObject({ revokedAt: null });
  expect(await guess("again")).toBe("reserved");
  expect(await guess("one more")).toBe("refused");
});
