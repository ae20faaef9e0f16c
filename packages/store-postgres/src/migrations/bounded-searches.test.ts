import type { Alert } from "@device-gateway/core/store";
import {
  registerSampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { Client } from "pg";
import { expect, it, vi } from "vitest";
import type { PostgresStore } from "../open-postgres-store.js";
import { useStoreAndClient } from "../testing/use-store-and-client.js";

let store: PostgresStore;
let other: Client;
useStoreAndClient((opened) => {
  ({ store, other } = opened);
});

interface PlanNode {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Counts the rows that the nodes of a plan read from tables. */
function countRows(node: PlanNode): number {
  const removed = node["Rows Removed by Filter"] ?? 0;
  const own = (node["Actual Rows"] + removed) * node["Actual Loops"];
  const below = (node.Plans ?? []).reduce((sum, each) => sum + countRows(each), 0);
  return below + (node["Relation Name"] === undefined ? 0 : own);
}

/** Returns how many rows the queries of some work read, if they read the table. */
async function rowsReadBy(table: string, work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(Client.prototype, "query");
  await work();
  const calls = query.mock.calls as unknown as [{ text?: string; values?: unknown[] }][];
  query.mockRestore();
  let rows = 0;
  let queries = 0;
  for (const [{ text = "", values }] of calls) {
    if (!/^\s*(SELECT|WITH)/.test(text) || !text.includes(`FROM device_gateway.${table}`)) continue;
    const explained = await other.query<{ "QUERY PLAN": readonly [{ readonly Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    queries += 1;
    for (const row of explained.rows) rows += countRows(row["QUERY PLAN"][0].Plan);
  }
  expect(queries).toBeGreaterThan(0);
  return rows;
}

const many = 20_000;
const deviceId = "gw-1";

it("finds the events of a device and an actor without those of other actors", async () => {
  await other.query(
    `INSERT INTO device_gateway.security_events (id, kind, at, device_id, actor, details)
     SELECT nextval('device_gateway.transition_ids'), 'device.renamed', n, device_id,
       CASE WHEN n = 1 OR device_id = 'gw-2' THEN 'ann' ELSE 'bob' END, '{}'
     FROM generate_series(1, ${many}) AS n, (VALUES ('${deviceId}'), ('gw-2')) AS of (device_id);
     ANALYZE device_gateway.security_events`,
  );
  const page = { deviceId, actor: "ann", kinds: ["device.renamed"], limit: 50 } as const;
  const { list, newest } = store.securityEvents;
  const rows = await rowsReadBy("security_events", async () => {
    expect(await list({ ...page, after: 0 })).toHaveLength(1);
    expect(await newest({ ...page, before: Number.MAX_SAFE_INTEGER })).toHaveLength(1);
  });
  expect(rows).toBeLessThan(100);
});

it("finds the firing alerts of a device without those that cleared", async () => {
  await other.query(
    `INSERT INTO device_gateway.alerts (id, rule_id, owner_id, subject, device_id, fired_at, cleared_at, details)
     SELECT device_id || '-' || n, 'rule-' || n, 'ann', device_id, device_id, n, cleared_at, '{}'
     FROM generate_series(1, ${many}) AS n, LATERAL (VALUES
       ('${deviceId}', CASE WHEN n = 1 THEN NULL ELSE n END), ('other-' || n, NULL)
     ) AS of (device_id, cleared_at);
     ANALYZE device_gateway.alerts`,
  );
  const rows = await rowsReadBy("alerts", async () => {
    const page = { deviceId, ownerId: "ann", before: null, limit: 50 };
    expect(await store.alerts.list({ ...page, firing: true })).toHaveLength(1);
  });
  expect(rows).toBeLessThan(100);
});

it("finds the latest alert of a rule and subject without those of other rules", async () => {
  const ownerId = "owner";
  await registerSampleDevice(store, deviceId, sampleOwnership(ownerId));
  await store.alerts.createRule({
    rule: {
      ...{ id: "rule-0", revision: 1, ownerId, deviceId: null, targetHardware: null },
      ...{ name: "Silent", condition: { kind: "silent", intervals: 5 }, mutedUntil: null },
      ...{ reminderSeconds: null, createdAt: sampleTime, changedAt: sampleTime },
    },
    ...{ most: 1, event: sampleSecurityEvent("", "alert_rule.created") },
  });
  // Each of 200 rules fires again and again, except that rule-0 fired only once about the device.
  await other.query(
    `INSERT INTO device_gateway.alerts (id, rule_id, owner_id, subject, device_id, fired_at, cleared_at,
       muted_until, details)
     SELECT device_id || '-' || n, 'rule-' || n % 200, '${ownerId}', device_id, device_id, n, n,
       CASE WHEN n = 0 THEN 9 END, '{}'
     FROM generate_series(0, ${many / 2}) AS n, (VALUES ('${deviceId}'), ('gw-2')) AS of (device_id)
     WHERE device_id <> '${deviceId}' OR n = 0 OR n % 200 > 0;
     ANALYZE device_gateway.alerts`,
  );
  const alert: Alert = {
    ...{ id: "new", ruleId: "rule-0", ownerId, subject: deviceId, deviceId },
    ...{ firedAt: 1, clearedAt: null, acknowledgedAt: null, acknowledgedBy: null },
    ...{ mutedUntil: null, remindedAt: null, details: {} },
  };
  const event = sampleSecurityEvent(deviceId, "alert.firing");
  const rows = await rowsReadBy("alerts", async () => {
    await store.alerts.judge({
      watch: { deviceId, revision: 1, content: {}, receivedAt: 0, dueAt: 0, silentAt: null },
      ...{ expectedRevision: null, owner: { ownerId, claimedAt: sampleTime + 1 } },
      transitions: [{ kind: "firing", alert, event, notification: null }],
    });
  });
  expect(await store.alerts.find("new")).toMatchObject({ mutedUntil: 9 });
  expect(rows).toBeLessThan(100);
});

it("finds unused devices without those that registered again", async () => {
  await other.query(
    `INSERT INTO device_gateway.devices (device_id, revision, hardware_id, firmware_version,
       target_hardware, capabilities, claim_code_spent, secret_hash, credential_epoch,
       credential_issued_at, config_overrides, config_revision, owned_before, registered_at, ota_channel)
     SELECT 'gw-' || n, 1, 'h', '1.0.0', 'h', '{}', false, 's', 1, CASE WHEN n = 1 THEN 1 ELSE 9000 END,
       '{}', 0, false, 1, 'stable' FROM generate_series(1, ${many}) AS n;
     ANALYZE device_gateway.devices`,
  );
  const rows = await rowsReadBy("devices", async () => {
    const which = { deviceId: null, registeredBefore: 5, limit: 9 };
    const dropped = await store.devices.dropUnused({ ...which, event: sampleEvent("") });
    expect(dropped).toEqual([deviceId]);
  });
  expect(rows).toBeLessThan(100);
});

it("takes due notifications without reading all that are due", async () => {
  await other.query(
    `INSERT INTO device_gateway.alert_notifications (id, owner_id, at, due_at, alert_id, rule_id,
       device_id, kind, attempts, delivered, details)
     SELECT n, CASE WHEN n % 10 = 0 THEN 'owner-' || n ELSE 'flood' END, 0, n % 10, 'alert', 'rule',
       'gw-1', 'firing', 0, '[]', '{}'
     FROM generate_series(1, ${many}) AS n;
     ANALYZE device_gateway.alert_notifications`,
  );
  const rows = await rowsReadBy("alert_notifications", async () => {
    const taken = await store.alerts.takeNotifications({ now: 100, until: 200, limit: 100 });
    expect(taken).toHaveLength(100);
  });
  expect(rows).toBeLessThan(5_000);
});
