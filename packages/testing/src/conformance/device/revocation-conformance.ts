import type { GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const deviceId = "gw-1";
const pendingCredential = {
  secretHash: "pending",
  epoch: 7,
  issuedAt: sampleTime,
  isRotation: false,
};
const revoked = (details = {}, id = deviceId) => sampleSecurityEvent(id, "device.revoked", details);
const reinstated = (details = {}, id = deviceId) =>
  sampleSecurityEvent(id, "device.reinstated", details);
const revoke = (store: GatewayStore, now: number) =>
  store.devices.revoke({ deviceId, now, event: revoked() });
const reinstate = (store: GatewayStore) =>
  store.devices.reinstate({ deviceId, event: reinstated() });

/** Cases for `DeviceStore.revoke` and `reinstate`. */
export const revocationCases: readonly StoreCase[] = [
  toCase("revoke: writes its event; a second call returns the first time", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, {
      ...sampleOwnership(),
      pendingCredential,
    });
    for (const [store, now] of [[a, 5_000] as const, [b, 6_000] as const, [a, 4_000] as const]) {
      expect(await revoke(store, now)).toEqual({ kind: "revoked", revokedAt: 5_000 });
    }
    expect(await b.devices.find(deviceId)).toEqual({ ...device, revokedAt: 5_000, revision: 2 });
    expect(await readLaterEvents(a, deviceId)).toMatchObject([{ kind: "device.revoked" }]);
  }),

  toCase(
    "reinstate: raises both epochs above all earlier ones and writes its event",
    async ([a, b]) => {
      const device = await registerSampleDevice(a, deviceId, {
        pendingCredential,
        revokedAt: 5_000,
      });
      expect(await reinstate(a)).toEqual({ kind: "recorded" });
      expect(await b.devices.find(deviceId)).toEqual({
        ...device,
        credential: { ...device.credential, epoch: 8 },
        pendingCredential: { ...pendingCredential, epoch: 9 },
        revokedAt: null,
        revision: 2,
      });
      expect(await readLaterEvents(b, deviceId)).toMatchObject([{ kind: "device.reinstated" }]);
    },
  ),

  toCase("reinstate: changes nothing if the device is not revoked", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId);
    expect(await reinstate(b)).toEqual({ kind: "recorded" });
    expect(await a.devices.find(deviceId)).toEqual(device);
    expect(await readLaterEvents(a, deviceId)).toEqual([]);
  }),

  toCase("revoke, reinstate: return unknown for an unknown device", async ([a, b]) => {
    expect(await revoke(a, 5_000)).toEqual({ kind: "unknown" });
    expect(await reinstate(b)).toEqual({ kind: "unknown" });
    expect(await a.devices.find(deviceId)).toBeNull();
    expect(await a.securityEvents.list({ after: 0, limit: 10 })).toEqual([]);
  }),

  toCase("revoke: after a reinstatement returns the new time", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    await revoke(a, 5_000);
    await reinstate(b);
    expect(await revoke(a, 6_000)).toEqual({ kind: "revoked", revokedAt: 6_000 });
    const found = await b.devices.find(deviceId);
    expect(found).toMatchObject({ revokedAt: 6_000, pendingCredential: null });
    expect(found?.credential.epoch).toBe(2);
  }),

  toRace("revoke: many racers get the same time and write one event", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id);
      const outcomes = await race(handles, 16, (store, racer) =>
        store.devices.revoke({ deviceId: id, now: 1_000 + racer, event: revoked({ racer }, id) }),
      );
      const found = await handles[1].devices.find(id);
      const first = { kind: "revoked", revokedAt: found?.revokedAt };
      expect(outcomes).toEqual(Array(16).fill(first));
      const racer = (found?.revokedAt ?? 0) - 1_000;
      expect(await readLaterEvents(handles[0], id)).toMatchObject([{ details: { racer } }]);
    }
  }),

  toRace("reinstate: many racers raise the epochs once and write one event", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id, { revokedAt: 1 });
      const outcomes = await race(handles, 16, (store, racer) =>
        store.devices.reinstate({ deviceId: id, event: reinstated({ racer }, id) }),
      );
      expect(outcomes).toEqual(Array(16).fill({ kind: "recorded" }));
      expect((await handles[1].devices.find(id))?.credential.epoch).toBe(2);
      expect(await readLaterEvents(handles[0], id)).toHaveLength(1);
    }
  }),
];
