import { type Alert, type OtaEvent, StoreUnavailableError } from "@device-gateway/core/store";
import {
  registerSampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "@device-gateway/testing";
import type { Client } from "pg";
import { describe, expect, it, vi } from "vitest";
import type { PostgresStore } from "../open-postgres-store.js";
import { limitDeletions } from "../testing/limit-deletions.js";
import { useStoreAndClient } from "../testing/use-store-and-client.js";

const deviceId = "gw-1";
/** The maximum number of rows that one statement may delete. */
const step = 1_000;
const many = 5 * step;

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
let store: PostgresStore;
/** Fills and inspects the tables. */
let other: Client;
useStoreAndClient(
  async (opened) => {
    ({ store, other } = opened);
    await register();
    logger.warn.mockClear();
  },
  { logger },
);

const register = () => registerSampleDevice(store, deviceId, sampleOwnership());
const erase = () => store.devices.erase({ deviceId, block: false, event: sampleEvent(deviceId) });
const recorded = { kind: "recorded" };

async function count(table: string, where = "true"): Promise<number> {
  const { rows } = await other.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM device_gateway.${table} WHERE ${where}`,
  );
  return rows[0]?.n ?? 0;
}

/** Prunes until all rows of a kind are deleted, because retention continues the deletion. */
async function expectDeleted(table: string, where: string): Promise<void> {
  await expect
    .poll(async () => {
      await store.telemetry.prune({ receivedBefore: 0, limit: 500 });
      return (await count(table, where)) + (await count(`${table}_erased`));
    })
    .toBe(0);
}

/** Makes the deletion of a table's rows fail. */
const refuse = (table: string) =>
  other.query(`CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'not now' USING ERRCODE = 'lock_not_available'; END $$;
    CREATE TRIGGER refuse BEFORE DELETE ON device_gateway.${table} FOR EACH ROW
    EXECUTE FUNCTION pg_temp.refuse()`);
const allow = (table: string) => other.query(`DROP TRIGGER refuse ON device_gateway.${table}`);
const expectWarning = () =>
  expect(logger.warn).toHaveBeenCalledWith(
    { err: expect.any(StoreUnavailableError), failures: 1 },
    expect.stringMatching(/OTA events or alerts/),
  );

describe("OTA events", () => {
  const fill = (rows: number, id = deviceId) =>
    other.query(
      `INSERT INTO device_gateway.ota_events
         (device_id, created_at, source, state, from_version, last_result)
       SELECT '${id}', n, 'device', 'succeeded', '1.0.0', 'old'
       FROM generate_series(1, ${rows}) AS n`,
    );
  const report = (lastResult: string) => {
    const event: OtaEvent = {
      ...{ createdAt: sampleTime, deviceId, source: "telemetry", state: "failed", lastResult },
      ...{ offeredVersion: null, fromVersion: "1.1.0", lastCheckSucceeded: true },
      ...{ updateAvailable: false, updateApplied: null, progress: null, message: null },
    };
    return store.telemetry.append({
      ...{ deviceId, receivedAt: sampleTime, records: [sampleRecord({ isTimed: false })] },
      once: null,
      otaReports: [{ record: 0, fingerprint: lastResult, event, rules: sampleUpdateRules }],
    });
  };
  const list = async () => {
    const page = { deviceId, from: 0, before: Number.MAX_SAFE_INTEGER, limit: 9 };
    return (await store.otaEvents.list(page)).map(({ lastResult }) => lastResult);
  };

  it("a device with more of them than a transaction can delete is erased", async () => {
    await fill(many);
    await limitDeletions(other, "ota_events", step);
    expect(await erase()).toEqual(recorded);
    await register();
    expect(await list()).toEqual([]);
    await report("new");
    await expectDeleted("ota_events", "last_result = 'old'");
    expect(await list()).toEqual(["new"]);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it("are unreachable before they are deleted, and no others are", async () => {
    await fill(3);
    await refuse("ota_events");
    for (const round of ["first", "second"]) {
      expect(await erase()).toEqual(recorded);
      await register();
      expect(await list()).toEqual([]);
      await report(round);
      expect(await list()).toEqual([round]);
    }
    expectWarning();
    expect(await count("ota_events")).toBe(5);
    await allow("ota_events");
    await expectDeleted("ota_events", "last_result <> 'second'");
    expect(await list()).toEqual(["second"]);
  });

  it("of one device that cannot be deleted do not block those of another", async () => {
    await fill(1);
    await registerSampleDevice(store, "gw-2");
    await fill(1, "gw-2");
    const lock = `SELECT FROM device_gateway.ota_events WHERE device_id = '${deviceId}' FOR UPDATE`;
    await other.query(`BEGIN; ${lock}`);
    expect(await erase()).toEqual(recorded);
    const event = sampleEvent("gw-2");
    expect(await store.devices.erase({ deviceId: "gw-2", block: false, event })).toEqual(recorded);
    expect(await count("ota_events", "device_id = 'gw-2'")).toBe(0);
    await other.query("COMMIT");
    await expectDeleted("ota_events", "true");
  });
});

describe("alerts", () => {
  const owners = { ownerId: "owner", ofOperators: null };
  const fill = (rows: number, ownerId: string | null) =>
    other.query(
      `INSERT INTO device_gateway.alerts
         (id, rule_id, owner_id, subject, device_id, fired_at, cleared_at, muted_until, details)
       SELECT 'old-' || coalesce($1, 'operators') || n, 'rule-1', $1, '${deviceId}', '${deviceId}',
         ${sampleTime} + n, ${sampleTime} + n, ${2 * sampleTime}, '{}'
       FROM generate_series(1, ${rows}) AS n`,
      [ownerId],
    );
  const event = sampleSecurityEvent(deviceId, "device.released");
  const release = () =>
    store.claims.release({ deviceId, ownerId: owners.ownerId, spendCode: false, event });
  const list = async (ownerId: string | null) => {
    const page = { ownerId, deviceId: null, firing: false, before: null, limit: 9 };
    const ids = [];
    for (const about of [null, deviceId]) {
      ids.push((await store.alerts.list({ ...page, deviceId: about })).map(({ id }) => id));
    }
    expect(ids[0]).toEqual(ids[1]);
    return ids[0];
  };

  it("a device with more of its owner's than a transaction can delete is released", async () => {
    await fill(many, owners.ownerId);
    await fill(2, owners.ofOperators);
    await limitDeletions(other, "alerts", step);
    expect(await release()).toEqual({ kind: "released" });
    expect(await list(owners.ownerId)).toEqual([]);
    await expectDeleted("alerts", "owner_id IS NOT NULL");
    expect(await list(owners.ofOperators)).toEqual(["old-operators2", "old-operators1"]);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it("a device with more of them than a transaction can delete is erased", async () => {
    await fill(many, owners.ownerId);
    await fill(many, owners.ofOperators);
    await limitDeletions(other, "alerts", step);
    expect(await erase()).toEqual(recorded);
    await register();
    expect([await list(owners.ownerId), await list(owners.ofOperators)]).toEqual([[], []]);
    await expectDeleted("alerts", "true");
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it("of a former owner are unreachable before they are deleted, and a later one of the same owner is not", async () => {
    const { ownerId } = owners;
    await store.alerts.createRule({
      rule: {
        ...{ id: "rule-1", revision: 1, ownerId, deviceId: null, targetHardware: null },
        ...{ name: "Silent", condition: { kind: "silent", intervals: 5 }, mutedUntil: null },
        ...{ reminderSeconds: null, createdAt: sampleTime, changedAt: sampleTime },
      },
      ...{ most: 1, event: sampleSecurityEvent("", "alert_rule.created") },
    });
    await fill(3, ownerId);
    await refuse("alerts");
    await release();
    expectWarning();
    const again = sampleSecurityEvent(deviceId, "device.assigned");
    await store.claims.assign({ deviceId, ownerId, now: sampleTime + 9, event: again });
    expect(await list(ownerId)).toEqual([]);
    expect(await store.alerts.find("old-owner1")).toBeNull();
    const at = { id: "old-owner1", by: ownerId, at: sampleTime };
    expect(await store.alerts.acknowledge(at)).toEqual({ kind: "unknown" });
    expect(await store.alerts.mute({ id: at.id, until: null })).toEqual({ kind: "unknown" });

    // It fires by a clock that is behind the one of the earlier alerts.
    const alert: Alert = {
      ...{ id: "new", ruleId: "rule-1", ownerId, subject: deviceId, deviceId },
      ...{ firedAt: sampleTime, clearedAt: null, acknowledgedAt: null, acknowledgedBy: null },
      ...{ mutedUntil: null, remindedAt: null, details: {} },
    };
    await store.alerts.judge({
      watch: {
        ...{ deviceId, revision: 1, content: {}, receivedAt: 0, dueAt: 0, silentAt: null },
      },
      expectedRevision: null,
      owner: { ownerId, claimedAt: sampleTime + 9 },
      transitions: [
        {
          ...{ kind: "firing", alert, notification: null },
          event: sampleSecurityEvent(deviceId, "alert.firing"),
        },
      ],
    });
    expect(await store.alerts.find("new")).toMatchObject({ mutedUntil: null });
    await allow("alerts");
    await expectDeleted("alerts", "id <> 'new'");
    expect(await list(ownerId)).toEqual(["new"]);
  });
});
