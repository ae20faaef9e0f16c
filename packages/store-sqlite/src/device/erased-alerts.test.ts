import type { Alert } from "@device-gateway/core/store";
import {
  sampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createAlertStore } from "../alert/alert-store.js";
import { type Connection, openConnection } from "../database/connection.js";
import { createErasedDataDeletion } from "../telemetry/retention/erased-data-deletion.js";
import { createClaimStore } from "./claim-store.js";
import { createDeviceStore } from "./device-store.js";
import { prepareAlertErasure, prepareErasedAlertsDeletion } from "./erased-alerts.js";

const deviceId = "gw-1";
const ownerId = "owner";
/** The maximum number of rows that one transaction deletes. */
const step = 250;

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
let connection: Connection;
let write: ReturnType<typeof vi.spyOn>;
let stores: ReturnType<typeof createStores>;
beforeEach(async () => {
  logger.warn.mockClear();
  connection = await openConnection(":memory:");
  write = vi.spyOn(connection, "write");
  stores = createStores();
  await register();
});
afterEach(() => connection.close());

function createStores() {
  const deleteErasedData = createErasedDataDeletion(connection, logger);
  return {
    deleteErasedData,
    alerts: createAlertStore(connection),
    claims: createClaimStore(connection, deleteErasedData),
    devices: createDeviceStore(connection, deleteErasedData),
  };
}

const register = () =>
  stores.devices.register({
    device: sampleDevice(deviceId, sampleOwnership(ownerId)),
    event: sampleEvent(deviceId),
  });
const release = () =>
  stores.claims.release({
    ...{ deviceId, ownerId, spendCode: false },
    event: sampleSecurityEvent(deviceId, "device.released"),
  });
const erase = () =>
  stores.devices.erase({
    ...{ deviceId, block: false },
    event: sampleSecurityEvent(deviceId, "device.erased"),
  });

/** Stores alerts that have cleared, of an owner or of the operators. */
const fill = (rows: number, owner: string | null) =>
  connection.database
    .prepare<[{ rows: number; owner: string | null }]>(
      `INSERT INTO alerts (id, rule_id, owner_id, subject, device_id, fired_at, cleared_at,
         muted_until, details)
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < @rows)
       SELECT 'old-' || ifnull(@owner, 'operators') || n, 'rule-1', @owner, '${deviceId}',
         '${deviceId}', ${sampleTime} + n, ${sampleTime} + n, ${2 * sampleTime}, '{}' FROM numbers`,
    )
    .run({ rows, owner });

const count = (table: string) =>
  connection.database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();

/** Makes the deletion of alerts fail. */
const refuse = () =>
  connection.database.exec(`CREATE TRIGGER refuse BEFORE DELETE ON alerts
    BEGIN SELECT raise(ABORT, 'not now'); END`);
const expectRefusal = () =>
  expect(logger.warn).toHaveBeenCalledWith(
    { err: expect.objectContaining({ message: "not now" }) },
    expect.stringMatching(/former owners/),
  );
const deleteRest = async () => {
  connection.database.exec("DROP TRIGGER refuse");
  await stores.deleteErasedData();
  expect(count("alerts_erased")).toBe(0);
};

/** Lists the ids of alerts, of all devices and of the device. */
async function list(owner: string | null): Promise<readonly string[]> {
  const page = { ownerId: owner, firing: false, before: null, limit: 9 };
  const [all, ofDevice] = await Promise.all(
    [null, deviceId].map((about) => stores.alerts.list({ ...page, deviceId: about })),
  );
  expect(all).toEqual(ofDevice);
  return (all ?? []).map(({ id }) => id);
}

it("the alerts of a former owner are deleted in steps, and those of the operators are kept", async () => {
  fill(8 * step, ownerId);
  fill(2, null);
  write.mockClear();
  expect(await release()).toEqual({ kind: "released" });
  expect(await list(ownerId)).toEqual([]);
  await expect.poll(() => count("alerts")).toBe(2);
  await expect.poll(() => count("alerts_erased")).toBe(0);
  expect(write.mock.calls.length, "the release and the steps").toBeGreaterThanOrEqual(1 + 8);
  expect(await list(null)).toEqual(["old-operators2", "old-operators1"]);
  expect(logger.warn).not.toHaveBeenCalled();
});

it("the alerts of a former owner are unreachable before they are deleted, and a later one of the same owner is not", async () => {
  const { alerts, claims } = stores;
  await alerts.createRule({
    rule: {
      ...{ id: "rule-1", revision: 1, ownerId, deviceId: null, targetHardware: null },
      ...{ name: "Silent", condition: { kind: "silent", intervals: 5 }, mutedUntil: null },
      ...{ reminderSeconds: null, createdAt: sampleTime, changedAt: sampleTime },
    },
    ...{ most: 1, event: sampleSecurityEvent("", "alert_rule.created") },
  });
  fill(3, ownerId);
  refuse();
  expect(await release()).toEqual({ kind: "released" });
  expectRefusal();
  const again = sampleSecurityEvent(deviceId, "device.assigned");
  await claims.assign({ deviceId, ownerId, now: sampleTime + 9, event: again });
  expect(await list(ownerId)).toEqual([]);
  const old = { id: "old-owner1" };
  expect(await alerts.find(old.id)).toBeNull();
  const acknowledgement = { ...old, by: ownerId, at: sampleTime };
  expect(await alerts.acknowledge(acknowledgement)).toEqual({ kind: "unknown" });
  expect(await alerts.mute({ ...old, until: null })).toEqual({ kind: "unknown" });

  // It fires by a clock that is behind the one of the earlier alerts.
  const alert: Alert = {
    ...{ id: "new", ruleId: "rule-1", ownerId, subject: deviceId, deviceId },
    ...{ firedAt: sampleTime, clearedAt: null, acknowledgedAt: null, acknowledgedBy: null },
    ...{ mutedUntil: null, remindedAt: null, details: {} },
  };
  await alerts.judge({
    watch: { ...{ deviceId, revision: 1, content: {} }, receivedAt: 0, dueAt: 0, silentAt: null },
    expectedRevision: null,
    owner: { ownerId, claimedAt: sampleTime + 9 },
    transitions: [
      {
        ...{ kind: "firing", alert, notification: null },
        event: sampleSecurityEvent(deviceId, "alert.firing"),
      },
    ],
  });
  expect(await list(ownerId)).toEqual(["new"]);
  expect(await alerts.find("new")).toMatchObject({ mutedUntil: null });
  await deleteRest();
  expect(await list(ownerId)).toEqual(["new"]);
});

it("the alerts of an erased device are unreachable before they are deleted", async () => {
  fill(3, ownerId);
  fill(3, null);
  refuse();
  expect(await erase()).toEqual({ kind: "recorded" });
  expectRefusal();
  await register();
  expect([await list(ownerId), await list(null)]).toEqual([[], []]);
  await deleteRest();
  expect(count("alerts")).toBe(0);
});

it("erased alerts are found without those of others", () => {
  const { database } = connection;
  const prepare = vi.spyOn(database, "prepare");
  prepareAlertErasure(database);
  prepareErasedAlertsDeletion(database);
  const statements = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();
  const parameters = { deviceId, ownerId, upTo: 1, most: 1 };
  const steps = statements
    .filter((sql) => sql.includes("INDEXED BY"))
    .map((sql) =>
      database
        .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(parameters)
        .map(({ detail }) => detail)
        .join("\n"),
    );
  const indexes = [
    "alerts_firing (subject=?)",
    "alerts_by_device (device_id=?)",
    "alerts_by_device_and_owner (device_id=? AND owner_id=?)",
    "alerts_by_device (device_id=? AND fired_at<?)",
    "alerts_by_device_and_owner (device_id=? AND owner_id=? AND fired_at<?)",
  ];
  expect(steps).toEqual(indexes.map((index) => expect.stringContaining(`INDEX ${index}`)));
  expect(steps.join("\n")).not.toMatch(/SCAN|TEMP B-TREE/);
});
