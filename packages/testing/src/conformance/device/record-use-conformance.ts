import type { Device } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  credentialOf,
  deviceId,
  pendingOf,
  promotion,
  rotationOf,
  useCredential,
} from "../samples/credential-samples.js";
import { readLaterEvents, registerSampleDevice, sampleTime } from "../samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

/** Cases for `DeviceStore.recordUse`. */
export const recordUseCases: readonly StoreCase[] = [
  toCase("recordUse: records the first use of the current credential once", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId);
    for (const now of [7_000, 8_000, 6_000]) {
      expect(await useCredential(b, 1, now)).toEqual({ kind: "recorded" });
      expect(await a.devices.find(deviceId)).toEqual({
        ...device,
        firstUsedAt: 7_000,
        revision: 2,
      });
    }
    expect(await readLaterEvents(a, deviceId)).toEqual([]);
  }),

  toCase(
    "recordUse: use of the current credential does not change the pending one",
    async ([a, b]) => {
      const pendingCredential = pendingOf(2);
      const device = await registerSampleDevice(a, deviceId, {
        pendingCredential,
        firstUsedAt: 7_000,
      });
      expect(await useCredential(b, 1)).toEqual({ kind: "recorded" });
      expect(await a.devices.find(deviceId)).toEqual(device);
    },
  ),

  toCase(
    "recordUse: use of the pending credential makes it current and removes the former one",
    async ([a, b]) => {
      const device = await registerSampleDevice(a, deviceId, { pendingCredential: pendingOf(2) });
      expect(await useCredential(a, 2, 7_000)).toEqual({ kind: "recorded" });
      const promoted = {
        ...device,
        ...{
          credential: credentialOf(2),
          pendingCredential: null,
          firstUsedAt: 7_000,
          revision: 2,
        },
      };
      expect(await b.devices.find(deviceId)).toEqual(promoted);
      expect(await useCredential(b, 1)).toEqual({ kind: "unknown" });
      expect(await useCredential(b, 2)).toEqual({ kind: "recorded" });
      expect(await a.devices.find(deviceId)).toEqual(promoted);
      const { kind, details } = promotion();
      expect(await readLaterEvents(b, deviceId)).toEqual([{ kind, details }]);
    },
  ),

  toCase("recordUse: a promotion keeps the time of the first use", async ([a, b]) => {
    const used = { pendingCredential: pendingOf(2), firstUsedAt: 7_000 };
    await registerSampleDevice(a, deviceId, used);
    await useCredential(b, 2, 9_000);
    expect((await a.devices.find(deviceId))?.firstUsedAt).toBe(7_000);
  }),

  toCase("recordUse: returns unknown for another epoch or an unknown device", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, { pendingCredential: pendingOf(3) });
    for (const epoch of [0, 2, 4, -1])
      expect(await useCredential(b, epoch)).toEqual({ kind: "unknown" });
    expect(await a.devices.find(deviceId)).toEqual(device);
    const gone = { deviceId: "gw-2", epoch: 1, now: 1, event: promotion() };
    expect(await a.devices.recordUse(gone)).toEqual({ kind: "unknown" });
  }),

  toCase("recordUse: returns unknown for both epochs of a revoked device", async ([a, b]) => {
    const revoked = { pendingCredential: pendingOf(2), revokedAt: sampleTime };
    const device = await registerSampleDevice(a, deviceId, revoked);
    for (const epoch of [1, 2]) expect(await useCredential(b, epoch)).toEqual({ kind: "unknown" });
    expect(await a.devices.find(deviceId)).toEqual(device);
    expect(await readLaterEvents(a, deviceId)).toEqual([]);
  }),

  toRace("recordUse: many racers make one promotion and one event", async (handles) => {
    await registerSampleDevice(handles[0], deviceId);
    for (let epoch = 2; epoch < 10; epoch++) {
      const device = (await handles[0].devices.find(deviceId)) as Device;
      await handles[1].devices.rotate(rotationOf(device, { pending: pendingOf(epoch) }));
      const outcomes = await race(handles, 16, (store) => useCredential(store, epoch));
      expect(outcomes).toEqual(Array(16).fill({ kind: "recorded" }));
      const found = await handles[1].devices.find(deviceId);
      expect(found).toMatchObject({ credential: credentialOf(epoch), pendingCredential: null });
      expect(found?.revision).toBe(device.revision + 2);
      const events = await readLaterEvents(handles[0], deviceId);
      const promotions = events.filter(({ kind }) => kind === "device.credential_promoted");
      expect(promotions).toHaveLength(epoch - 1);
    }
  }),
];
