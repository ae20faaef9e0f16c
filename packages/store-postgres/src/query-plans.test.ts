import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import { Client } from "pg";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { migratePostgres } from "./migrations/migrate.js";
import { openPostgresStore, type PostgresStore } from "./open-postgres-store.js";
import {
  askOn,
  createTemporaryDatabase,
  runOn,
  type TemporaryDatabase,
} from "./testing/temporary-database.js";

const rows = 20_000;
const days = 4;
const dayMs = 86_400_000;
let database: TemporaryDatabase;
let store: PostgresStore;
const lastPosition = async () => (await store.telemetry.lastPositions([deviceId]))[0] ?? 0;

/** Fills every table that grows with the fleet with too many rows to scan. */
const fill = `
  INSERT INTO device_gateway.devices (device_id, revision, hardware_id, firmware_version,
    target_hardware, capabilities, claim_code_spent, secret_hash, credential_epoch,
    credential_issued_at, config_overrides, config_revision, owner_id, claimed_at, visible_from,
    owned_before, registered_at, ota_channel)
  SELECT 'bulk-' || n, 1, 'h', '1.0.0', 'h', '{}', false, 's', 1, 0, '{}', 0,
    CASE WHEN n % 2 = 0 THEN 'owner-' || n % 500 END, 0, 0, false, n, 'stable'
  FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.device_activity (device_id, last_seen_at)
  SELECT 'bulk-' || n, n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.device_metadata SELECT 'bulk-' || n, '{"setAt":{},"values":{}}'
  FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.device_metadata_index SELECT key, value, 'bulk-' || n
  FROM generate_series(1, ${rows}) AS n, 
    LATERAL (VALUES ('site', 'everywhere'), ('customer', 'C-' || n % 500)) AS entry (key, value);
  INSERT INTO device_gateway.telemetry_refusals
  SELECT 'bulk-' || n, 'too_deep', 'm', 1, n, n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.changes SELECT nextval('device_gateway.transition_ids'), 'bulk-' || n, n
  FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.security_events (id, kind, at, device_id, actor, details)
  SELECT nextval('device_gateway.transition_ids'), kind, n, 'bulk-' || n, actor, '{}'
  FROM generate_series(1, ${rows / 2}) AS n,
    (VALUES ('device.registered', 'device'), ('device.online', 'server')) AS event (kind, actor);
  INSERT INTO device_gateway.budget_tries SELECT 'key-' || n % 999, n, 'try-' || n
  FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.ota_events (device_id, created_at, source, state, from_version, last_result)
  SELECT 'bulk-' || n % 999, n, 'device', 'succeeded', '1.0.0', 'x' FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.device_updates
  SELECT 'bulk-' || n, n % 20, CASE WHEN n % 50 = 0 THEN 'installing' ELSE 'succeeded' END, '1.0.0', n,
    n, '[]', false, 0 FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.alert_rules SELECT 'rule-' || n, 'owner-of-rules-' || n, NULL, 1, '{}'
  FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.blocked_ids SELECT 'blocked-' || n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.telemetry_open_hours SELECT n % 2000, n / 2000 * 3600000
  FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.telemetry_rollups SELECT n % 2000, n / 2000 * 3600000, NULL, '{}'
  FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.telemetry_keys SELECT n % 2000, 'key-' || n, 'f', n, '[]', ''
  FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.telemetry_crowds SELECT n % 2000, n, 'digest', NULL
  FROM generate_series(1, ${rows}) AS n;
  INSERT INTO device_gateway.telemetry_shapes (id, skeleton) SELECT n, 'shape ' || n
  FROM generate_series(1, 9) AS n;
  INSERT INTO device_gateway.telemetry_shape_uses SELECT n, id, 'record', ${2 * sampleTime}
  FROM generate_series(1, ${rows}) AS n, device_gateway.telemetry_shapes WHERE id % 3 = 0;
  INSERT INTO device_gateway.telemetry
  SELECT nextval('device_gateway.telemetry_positions'), at, at, NULL, n % 2000 + 100, NULL, true, '{}'
  FROM generate_series(1, ${days}) AS day, generate_series(1, ${rows}) AS n,
    LATERAL (SELECT ${sampleTime} - day * ${dayMs}::bigint + n AS at) AS t;
  ANALYZE`;

beforeAll(async () => {
  database = await createTemporaryDatabase(inject("postgresUrl"));
  await migratePostgres({ url: database.url });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  for (let day = 0; day <= days; day++) {
    const number = Math.floor((sampleTime - day * dayMs) / dayMs);
    await client.query("SELECT device_gateway.make_telemetry_partition($1)", [number]);
  }
  await client.query(fill);
  await client.end();
});
afterAll(() => database.remove());

/** Counts the sequential scans so far of each large table. */
async function countSeqScans(): Promise<Record<string, number>> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  // A connection's statistics are complete only after it has ended.
  const countOthers = async () =>
    (
      await client.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND backend_type = 'client backend'`,
      )
    ).rowCount;
  await expect.poll(countOthers).toBe(0);
  const { rows: scans } = await client.query<{ name: string; scans: string }>(
    `SELECT s.relname AS name, s.seq_scan AS scans
     FROM pg_stat_user_tables AS s JOIN pg_class AS c ON c.oid = s.relid
     WHERE s.schemaname = 'device_gateway' AND c.reltuples > 10000`,
  );
  await client.end();
  return Object.fromEntries(scans.map(({ name, scans: count }) => [name, Number(count)]));
}

const deviceId = "bulk-7";
const event = sampleEvent(deviceId);
const now = sampleTime;
const operator = { deviceId, ownerId: null, event };
const range = { deviceId, from: now - 3 * dayMs, to: now, receivedFrom: 0 };
const selection = { names: ["a"], prefixes: [], topLevel: true };
const key = { key: "key-7", limit: 5, windowMs: 1_000, whenSpent: "refuse" } as const;
const stored = { kind: "appended", verdicts: ["stored"] };

/** Returns the id of an unclaimed device that nothing else changes. `n` is odd and below 40. */
const fresh = (n: number, attempt: number) => `bulk-${n + 40 * attempt}`;

/** Reserves an attempt against the budget. */
const reserve = (reservationId: string) =>
  store.budgets.reserve({ reservationId, budgets: [key], now, event });

/** Each call gets the number of its attempt, 0 or 1. Each attempt finds work to do. */
const calls: Record<string, (attempt: number) => Promise<unknown>> = {
  find: () => store.devices.find(deviceId),
  "alerts that are due": () =>
    store.alerts.due({ after: "bulk-5", now, limit: 50, everyone: false }),
  list: () => store.devices.list({ ownerId: null, after: "bulk-5", limit: 50 }),
  "list of an owner": () => store.devices.list({ ownerId: "owner-2", after: "", limit: 50 }),
  "search by a frequent text": () =>
    store.devices.search({
      ...{ by: "targetHardware", from: "h", to: "h", limit: 50 },
      after: { value: "h", deviceId: "bulk-5" },
    }),
  "search by name": () =>
    store.devices.search({ by: "name", from: "Pump", to: "Pump~", after: null, limit: 50 }),
  "search by owner": () =>
    store.devices.search({ by: "ownerId", from: "owner-2", to: "owner-2", after: null, limit: 50 }),
  "search by version": () =>
    store.devices.search({ by: "firmwareVersion", from: "1.", to: "1.~", after: null, limit: 50 }),
  "list of revoked devices": () =>
    store.devices.listMarked({ mark: "revoked", after: "bulk-5", limit: 50 }),
  "list of unclaimed devices": () =>
    store.devices.listMarked({ mark: "unclaimed", after: "bulk-5", limit: 50 }),
  register: (attempt) => {
    const registered = store.devices.register({ device: sampleDevice(`new-${attempt}`), event });
    return expect(registered).resolves.toEqual({ kind: "registered" });
  },
  recordUse: (attempt) => {
    const use = { deviceId: fresh(15, attempt), epoch: 1, now, event };
    return expect(store.devices.recordUse(use)).resolves.toEqual({ kind: "recorded" });
  },
  recordSeen: () => store.devices.recordSeen({ deviceId, now }),
  rename: () => store.devices.rename({ ...operator, name: "n" }),
  revoke: (attempt) => {
    const revoked = store.devices.revoke({ deviceId: fresh(9, attempt), now, event });
    return expect(revoked).resolves.toEqual({ kind: "revoked", revokedAt: now });
  },
  dropUnused: (attempt) => {
    const registeredBefore = 4 + 2 * attempt;
    const dropped = store.devices.dropUnused({ deviceId: null, registeredBefore, limit: 2, event });
    return expect(dropped).resolves.not.toEqual([]);
  },
  erase: (attempt) => {
    const erased = store.devices.erase({ deviceId: fresh(11, attempt), block: true, event });
    return expect(erased).resolves.toEqual({ kind: "recorded" });
  },
  claim: (attempt) => {
    const claim = { deviceId: fresh(19, attempt), ownerId: "o", claimCodeHash: null, now, event };
    return expect(store.claims.claim(claim)).resolves.toEqual({ kind: "claimed", claimedAt: now });
  },
  metadata: () => store.metadata.find(deviceId),
  "metadata, replaced": (attempt) => {
    const replaced = store.metadata.replace({
      ...{ deviceId: fresh(13, attempt), event, index: { site: "here" } },
      ...{
        expected: { values: {}, setAt: {} },
        next: { values: { site: "here" }, setAt: { site: now } },
      },
    });
    return expect(replaced).resolves.toEqual({ kind: "replaced" });
  },
  "devices by a rare value": () =>
    store.metadata.listDevices({ key: "customer", value: "C-7", after: "", limit: 50 }),
  "devices by a frequent value": () =>
    store.metadata.listDevices({ key: "site", value: "everywhere", after: "bulk-5", limit: 50 }),
  refusals: () => store.refusals.list({ deviceId, from: 0 }),
  "refusals, added": () =>
    store.refusals.add({
      ...{ deviceId, now, since: 0 },
      refusals: [{ code: "too_deep", message: "m", count: 1 }],
    }),
  "latest refusals": () =>
    store.refusals.latest(["bulk-1", deviceId].map((id) => ({ deviceId: id, from: 0 }))),
  configure: (attempt) => {
    const change = { ...operator, deviceId: fresh(17, attempt), values: {}, expectedRevision: 0 };
    const replaced = store.config.replaceOverrides(change);
    return expect(replaced).resolves.toEqual({ kind: "replaced", revision: 1 });
  },
  reserve: (attempt) =>
    expect(reserve(`kept-${attempt}`)).resolves.toMatchObject({ kind: "reserved" }),
  refund: async (attempt) => {
    expect(await reserve(`refunded-${attempt}`)).toMatchObject({ kind: "reserved" });
    await store.budgets.refund(`refunded-${attempt}`);
  },
  "prune tries": () =>
    expect(store.budgets.prune({ before: 20, limit: 10 })).resolves.toBeGreaterThan(0),
  "change feed": async () => {
    const { cursor } = await store.changes.since(null);
    await store.changes.since(cursor.replace(/^\d+/, String(2 * rows - 10)));
  },
  "prune changes": () =>
    expect(store.changes.prune({ before: 20, limit: 10 })).resolves.toBeGreaterThan(0),
  audit: () => store.securityEvents.list({ after: 100, limit: 50 }),
  "audit of a device": () => store.securityEvents.list({ after: 100, limit: 50, deviceId }),
  "newest audit of an actor": () =>
    store.securityEvents.newest({ before: 1e9, limit: 50, actor: "nobody" }),
  "newest audit": () => store.securityEvents.newest({ before: 1e9, limit: 50 }),
  "OTA history": () => store.otaEvents.list({ deviceId, from: 0, before: 1e9, limit: 20 }),
  "prune OTA events": () =>
    expect(store.otaEvents.prune({ createdBefore: 20, limit: 10 })).resolves.toBeGreaterThan(0),
  updates: () => store.updates.list(deviceId),
  "counts of a release": () => store.updates.counts(3),
  overdue: () => store.updates.overdue({ before: 200, silentSince: 100, limit: 10 }),
  "prune updates": () =>
    expect(store.updates.prune({ movedBefore: 20, limit: 10 })).resolves.toBeGreaterThan(0),
  append: (attempt) => {
    const once = { key: `k-${attempt}`, fingerprint: "f", expiresAt: now, memo: "" };
    const records = [sampleRecord({ value: { voltage: attempt } })];
    const appended = store.telemetry.append({ deviceId, receivedAt: now, records, once });
    return expect(appended).resolves.toEqual(stored);
  },
  // From the sixth execution on, Postgres may use the generic plan.
  "append, again and again": async (attempt) => {
    for (let turn = 0; turn < 8; turn++) {
      const ids = Array.from({ length: 16 }, (_, n) => `bulk-${n + 100 + 16 * attempt}`);
      const records = [sampleRecord({ seq: turn })];
      const appended = await Promise.all(
        ids.map((id) =>
          store.telemetry.append({ deviceId: id, receivedAt: now, records, once: null }),
        ),
      );
      expect(appended).toEqual(ids.map(() => stored));
    }
  },
  "alert rules of an owner": async () => {
    const page = { after: "", limit: 51 };
    expect(await store.alerts.listRules({ ...page, ownerId: "owner-of-rules-9" })).toHaveLength(1);
    expect(await store.alerts.listRules({ ...page, ownerId: null })).toEqual([]);
  },
  latest: () =>
    store.telemetry.latest(["bulk-1", deviceId].map((id) => ({ deviceId: id, from: 0 }))),
  count: () => store.telemetry.count({ ...range, atMost: 1_000 }),
  samples: () =>
    store.telemetry.samples({ ...range, order: "newest_first", after: null, limit: 60 }),
  "live telemetry": async () =>
    store.telemetry.read({ deviceId, after: (await lastPosition()) - 5, limit: 9 }),
  "live telemetry, from the start": () =>
    store.telemetry.read({ deviceId: "bulk-200", after: 0, limit: 9 }),
  "records of all devices": async () =>
    store.telemetry.follow({ after: String((await lastPosition()) - 5), limit: 9 }),
  "records of all devices, from the start": () => store.telemetry.follow({ after: "", limit: 9 }),
  aggregate: () => store.telemetry.aggregate({ ...range, intervalMs: 3_600_000, selection }),
  rollUp: () => store.telemetry.rollUp({ before: 3_600_000, limit: 3 }),
  reopenHours: () => store.telemetry.reopenHours({ deviceId, from: now - dayMs, to: now }),
  "prune records": () =>
    store.telemetry.prune({ receivedBefore: now - days * dayMs + 20, limit: 10 }),
  "prune shapes": async (attempt) => {
    const id = 100 + attempt;
    const shapes = "device_gateway.telemetry_shapes";
    // Nothing uses this shape, so there is one to delete.
    await runOn(database.url, `INSERT INTO ${shapes} (id, skeleton) VALUES (${id}, 'no ${id}')`);
    await store.telemetry.prune({ receivedBefore: -1, limit: 10 });
    expect(await askOn(database.url, `SELECT FROM ${shapes} WHERE id = ${id}`)).toEqual([]);
  },
  "prune hours": () => {
    const pruned = store.telemetry.pruneRollUps({ before: 3_600_000, limit: 10 });
    return expect(pruned).resolves.toBeGreaterThan(0);
  },
};

it("detects a scan of a whole table", async () => {
  const before = await countSeqScans();
  await runOn(database.url, "SELECT count(*) FROM device_gateway.devices WHERE hardware_id = 'x'");
  expect(await countSeqScans()).toEqual({ ...before, devices: (before["devices"] ?? 0) + 1 });
});

// While autovacuum analyzes a table, a statement may be planned with its earlier statistics. Such a plan does not last.
it.for(Object.keys(calls))(
  "never scans a large table: %s",
  { retry: 1 },
  async (name, { task }) => {
    const before = await countSeqScans();
    expect(Object.keys(before).length).toBeGreaterThan(12);
    store = await openPostgresStore({ url: database.url, poolSize: 1 });
    try {
      await calls[name]?.(task.result?.retryCount ?? 0);
    } finally {
      await store.close();
    }
    expect(await countSeqScans()).toEqual(before);
  },
);

/** Returns how many entries of the indexes of the event log were read so far. */
async function countEventReads(): Promise<number> {
  await countSeqScans();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows: reads } = await client.query<{ count: string }>(
    `SELECT sum(idx_tup_read) AS count FROM pg_stat_user_indexes WHERE relname = 'security_events'`,
  );
  await client.end();
  return Number(reads[0]?.count);
}

it("reads the rare events of an actor without its frequent ones", { retry: 1 }, async () => {
  const before = await countEventReads();
  store = await openPostgresStore({ url: database.url, poolSize: 1 });
  const page = { actor: "server", kinds: ["device.registered"], limit: 50 } as const;
  expect(await store.securityEvents.newest({ ...page, before: 1e9 })).toEqual([]);
  expect(await store.securityEvents.list({ ...page, after: 0 })).toEqual([]);
  await store.close();
  expect((await countEventReads()) - before).toBeLessThan(100);
});

it("prunes a kind of events without reading the audit trail before them", {
  retry: 1,
}, async () => {
  await runOn(
    database.url,
    `INSERT INTO device_gateway.security_events (id, kind, at, device_id, actor, details)
     SELECT nextval('device_gateway.transition_ids'), 'alert.cleared', n, 'bulk-' || n, 'server', '{}'
     FROM generate_series(1, 1000) AS n;
     ANALYZE device_gateway.security_events`,
  );
  const before = await countEventReads();
  store = await openPostgresStore({ url: database.url, poolSize: 1 });
  expect(await store.securityEvents.prune({ kind: "alert.cleared", before: 400, limit: 100 })).toBe(
    100,
  );
  await store.close();
  expect((await countEventReads()) - before).toBeLessThan(1_000);
});

it("keeps the plans of the statements that each record runs, even for one record per commit", async () => {
  const query = vi.spyOn(Client.prototype, "query");
  store = await openPostgresStore({ url: database.url, poolSize: 1 });
  for (let seq = 0; seq < 12; seq++) {
    const records = [sampleRecord({ seq, isTimed: false })];
    await store.telemetry.append({ deviceId, receivedAt: now, records, once: null });
  }
  const client = query.mock.contexts.at(-1) as Client | undefined;
  const kept = await client?.query<{ custom: string }>(
    "SELECT custom_plans AS custom FROM pg_prepared_statements",
  );
  vi.restoreAllMocks();
  await store.close();
  // Postgres makes five custom plans before it considers the generic plan.
  expect(kept?.rows.map(({ custom }) => Number(custom))).toEqual([5, 5]);
});
