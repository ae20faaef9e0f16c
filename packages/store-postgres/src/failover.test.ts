import { silentLogger } from "@device-gateway/core";
import type { JsonObject, Logger } from "@device-gateway/core/store";
import {
  readRecordValues,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { openPostgresStore, type PostgresStore } from "./open-postgres-store.js";
import {
  type ReplicatedServers,
  setSynchronous,
  startReplicatedServers,
} from "./testing/replicated-servers.js";
import { createTemporaryDatabase, runOn } from "./testing/temporary-database.js";

const register = (store: PostgresStore, deviceId: string) =>
  store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
const send = (store: PostgresStore, deviceId: string, value: JsonObject) =>
  store.telemetry.append({
    ...{ deviceId, receivedAt: sampleTime, once: null },
    records: [sampleRecord({ value, isTimed: false })],
  });

describe("after a failover to a standby that was behind", () => {
  let servers: ReplicatedServers;
  let store: PostgresStore;
  beforeEach(async () => {
    servers = await startReplicatedServers();
    // The former primary also serves as a replica: it keeps running, but no longer belongs to the database.
    const readUrl = servers.primary.url;
    store = await openPostgresStore({ url: servers.door.url, readUrl, maxReadLagMs: 3_600_000 });
    await register(store, "gw-1");
    await send(store, "gw-1", { kept: 1 });
    await servers.catchUp();
    servers.stream.freeze();
  });
  afterEach(async () => {
    await store.close();
    await servers.stop();
  });

  const promote = async () => {
    await servers.promote();
    const answers = () => store.ping().then(() => true, String);
    await expect.poll(answers).toBe(true);
  };

  it("records are stored with shapes that the new primary has, the change feed starts anew, and no replica of the former primary answers", async () => {
    await send(store, "gw-1", { lost: 1 });
    const revoked = sampleSecurityEvent("gw-1", "device.revoked");
    await store.devices.revoke({ deviceId: "gw-1", now: sampleTime, event: revoked });
    const { cursor } = await store.changes.since(null);
    await expect.poll(async () => (await store.openReads?.())?.lagMs).not.toBeNull();
    const reads = await store.openReads?.();
    const range = { deviceId: "gw-1", from: 0, to: 2 * sampleTime, receivedFrom: 0 };
    const readFromReplica = async () =>
      (
        await reads?.telemetry.samples({ ...range, order: "oldest_first", after: null, limit: 9 })
      )?.map(({ value }) => value);
    expect(await readFromReplica()).toEqual([{ kept: 1 }, { lost: 1 }]);

    await promote();
    // The first append after the failover, before any poll of the change feed.
    expect(await send(store, "gw-1", { lost: 2 })).toMatchObject({ kind: "appended" });
    expect((await store.changes.since(cursor)).kind).toBe("reset");
    expect(await readFromReplica()).toEqual([{ kept: 1 }, { lost: 2 }]);
    expect(await store.devices.find("gw-1")).toMatchObject({ revokedAt: null });
    const other = await openPostgresStore({ url: servers.door.url });
    expect(await readRecordValues(other, "gw-1")).toEqual([{ kept: 1 }, { lost: 2 }]);
    await other.close();
  });
});

describe("a declared synchronous standby", () => {
  it("is refused at the start if commits do not wait for it; without the declaration, a warning is logged", async () => {
    const database = await createTemporaryDatabase(inject("postgresUrl"));
    onTestFinished(() => database.remove());
    const name = new URL(database.url).pathname.slice(1);
    const open = () => openPostgresStore({ url: database.url, synchronousStandby: true });
    await expect(open()).rejects.toThrow(/synchronous_standby_names is empty.*Name the standbys/);
    await runOn(database.url, `ALTER DATABASE ${name} SET synchronous_commit = 'local'`);
    await expect(open()).rejects.toThrow(/synchronous_commit is local.*Set it to on/);

    const servers = await startReplicatedServers();
    onTestFinished(() => servers.stop());
    const { url } = servers.primary;
    const logger = { ...silentLogger, warn: vi.fn<Logger["warn"]>() };
    await (await openPostgresStore({ url, logger })).close();
    expect(logger.warn).toHaveBeenCalledWith(
      {},
      expect.stringMatching(/has standbys, but .* empty/),
    );
    await setSynchronous(servers.primary, true);
    const isAccepted = () =>
      openPostgresStore({ url, synchronousStandby: true }).then((store) => store.close(), String);
    await expect.poll(isAccepted).toBeUndefined();
  });
});
