import { StoreUnavailableError } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  readRecordValues,
  registerSampleDevice,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleTime,
} from "../samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const deviceId = "gw-1";

/** Cases for `keepKeyCheck`, `ping` and `close` of `GatewayStore`. */
export const lifecycleCases: readonly StoreCase[] = [
  toCase("ping: resolves while the storage answers", async ([a, b]) => {
    await expect(a.ping()).resolves.toBeUndefined();
    await expect(b.ping()).resolves.toBeUndefined();
  }),

  toCase("keepKeyCheck: the first value stays, for each handle", async ([a, b]) => {
    expect(await a.keepKeyCheck("first")).toBe("first");
    expect(await b.keepKeyCheck("second")).toBe("first");
    expect(await a.keepKeyCheck("first")).toBe("first");
  }),

  toRace(
    "keepKeyCheck: of many first values, one is stored and returned to all",
    async (handles) => {
      const kept = await race(handles, 16, (store, racer) => store.keepKeyCheck(`value-${racer}`));
      expect(new Set(kept).size).toBe(1);
      expect(await handles[0].keepKeyCheck("later")).toBe(kept[0]);
    },
  ),

  toCase("close: a second call does nothing, and other handles stay open", async ([a, b]) => {
    await a.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
    await Promise.all([a.close(), a.close()]);
    await a.close();
    expect(await b.devices.find(deviceId)).toEqual(sampleDevice(deviceId));
    await b.ping();
  }),

  toCase("close: afterwards every method rejects with StoreUnavailableError", async ([a]) => {
    await a.close();
    const device = sampleDevice(deviceId);
    const event = sampleEvent(deviceId);
    const { devices, claims, budgets, telemetry } = a;
    const now = sampleTime;
    const owned = { deviceId, ownerId: "owner", event };
    const rotation = {
      ...{ deviceId, expectedRevision: 1, profile: device.profile },
      pending: { ...device.credential, isRotation: false },
      ...{ claimCodeHash: null, claimCodeSpent: false, closeReEnrolment: true, event },
    };
    const unused = { deviceId: null, registeredBefore: now, limit: 1, event };
    const calls: (() => Promise<unknown>)[] = [
      () => a.ping(),
      () => a.keepKeyCheck("value"),
      () => devices.find(deviceId),
      () => devices.list({ ownerId: null, after: "", limit: 1 }),
      () => devices.register({ device, event }),
      () => devices.rotate(rotation),
      () => devices.recordUse({ deviceId, epoch: 1, now, event }),
      () => devices.recordProfile({ deviceId, profile: device.profile, now }),
      () => devices.recordSeen({ deviceId, now }),
      () => devices.rename({ ...owned, name: "name" }),
      () => devices.openReEnrolment({ ...owned, until: now }),
      () => devices.revoke({ deviceId, now, event }),
      () => devices.reinstate({ deviceId, event }),
      () => devices.erase({ deviceId, block: false, event }),
      () => devices.dropUnused(unused),
      () => claims.claim({ ...owned, claimCodeHash: null, now }),
      () => claims.release({ ...owned, spendCode: false }),
      () => a.config.replaceOverrides({ ...owned, values: {}, expectedRevision: 0 }),
      () => telemetry.append({ deviceId, receivedAt: 0, records: [], once: null }),
      () => telemetry.latest([{ deviceId, from: 0 }]),
      () => telemetry.read({ deviceId, after: 0, limit: 1 }),
      () => budgets.reserve({ reservationId: "try", budgets: [], now, event }),
      () => budgets.refund("try"),
      () => budgets.prune({ before: now, limit: 1 }),
      () => a.securityEvents.list({ after: 0, limit: 1 }),
      () => a.changes.since(null),
      () => a.changes.prune({ before: now, limit: 1 }),
    ];
    for (const call of calls) await expect(call()).rejects.toBeInstanceOf(StoreUnavailableError);
  }),

  toCase("close: waits for pending calls", async ([a, b]) => {
    await registerSampleDevice(b, deviceId);
    const writing = [1, 2, 3, 4].map((seq) =>
      a.telemetry.append({
        deviceId,
        receivedAt: sampleTime,
        records: [sampleRecord({ seq })],
        once: null,
      }),
    );
    await a.close();
    expect(await Promise.all(writing)).toHaveLength(4);
    expect(await readRecordValues(b, deviceId)).toHaveLength(4);
  }),
];
