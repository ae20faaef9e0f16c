import type { ClaimStore, Device, GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const deviceId = "gw-1";
const issuedAt = sampleTime;

type Release = Parameters<ClaimStore["release"]>[0];
const release = (store: GatewayStore, changes: Partial<Release> = {}) =>
  store.claims.release({
    ...{ deviceId, ownerId: "owner", spendCode: false },
    event: sampleSecurityEvent(changes.deviceId ?? deviceId, "device.released"),
    ...changes,
  });

const owned: Partial<Device> = {
  ...sampleOwnership(),
  revision: 4,
  credential: { secretHash: "current", epoch: 3, issuedAt },
  pendingCredential: { secretHash: "pending", epoch: 5, issuedAt, isRotation: true },
  configOverrides: { values: { telemetryIntervalSeconds: 10 }, revision: 7 },
  name: "Shed",
  reEnrolmentUntil: sampleTime + 900_000,
  firstUsedAt: sampleTime,
  lastSeenAt: sampleTime,
  lastTelemetryAt: sampleTime,
};

/** What a release changes in that device. */
const released: Partial<Device> = {
  revision: 5,
  credential: { secretHash: "current", epoch: 6, issuedAt },
  pendingCredential: { secretHash: "pending", epoch: 7, issuedAt, isRotation: true },
  configOverrides: { values: {}, revision: 8 },
  name: null,
  ownership: null,
  reEnrolmentUntil: null,
};

/** Cases for `ClaimStore.release`. */
export const releaseCases: readonly StoreCase[] = [
  toCase("release: clears the owner's data and writes the event", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, owned);
    expect(await release(b)).toEqual({ kind: "released" });
    expect(await a.devices.find(deviceId)).toEqual({ ...device, ...released });
    expect(await readLaterEvents(a, deviceId)).toEqual([{ kind: "device.released", details: {} }]);
  }),

  toCase("release: raises the epoch of a credential without a pending one", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, sampleOwnership());
    await release(b);
    const found = await a.devices.find(deviceId);
    expect(found?.credential).toEqual({ ...device.credential, epoch: 2 });
    expect(found?.pendingCredential).toBeNull();
    expect(found?.configOverrides).toEqual({ values: {}, revision: 1 });
  }),

  toCase("release: changes nothing if the caller is not the owner", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, owned);
    await registerSampleDevice(a, "gw-2");
    for (const other of [
      { ownerId: "other" },
      { ownerId: "OWNER" },
      { ownerId: "" },
      { deviceId: "gw-2" },
      { deviceId: "gw-2", ownerId: "" },
      { deviceId: "gw-3" },
    ]) {
      expect(await release(b, other)).toEqual({ kind: "not_owner" });
    }
    expect(await a.devices.find(deviceId)).toEqual(device);
    expect(await readLaterEvents(a, deviceId)).toEqual([]);
  }),

  toCase("release: spends the code on request, and never makes it valid again", async ([a, b]) => {
    for (const [id, claimCodeSpent, spendCode, expected] of [
      ["gw-1", false, false, false],
      ["gw-2", false, true, true],
      ["gw-3", true, false, true],
      ["gw-4", true, true, true],
    ] as const) {
      await registerSampleDevice(a, id, { ...sampleOwnership(), claimCodeSpent });
      await release(b, { deviceId: id, spendCode });
      expect((await a.devices.find(id))?.claimCodeSpent).toBe(expected);
    }
  }),

  toCase("release: a legacy device has no code to spend and can be claimed", async ([a, b]) => {
    await registerSampleDevice(a, deviceId, { ...sampleOwnership(), claimCodeHash: null });
    await release(a, { spendCode: true });
    expect((await a.devices.find(deviceId))?.claimCodeSpent).toBe(false);
    const next = { deviceId, ownerId: "next", claimCodeHash: null, now: 9_000 };
    const event = sampleSecurityEvent(deviceId, "device.claimed");
    expect(await b.claims.claim({ ...next, event })).toMatchObject({ kind: "claimed" });
  }),

  toCase(
    "release: the next owner sees only later data, even if they owned it before",
    async ([a, b]) => {
      await registerSampleDevice(a, deviceId);
      const event = sampleSecurityEvent(deviceId, "device.claimed");
      const claim = { deviceId, ownerId: "owner", claimCodeHash: "claim-code-hash", event };
      await a.claims.claim({ ...claim, now: sampleTime });
      expect((await b.devices.find(deviceId))?.ownership?.visibleFrom).toBe(0);
      await release(b);
      expect(await a.claims.claim({ ...claim, now: sampleTime + 2_000 })).toEqual({
        kind: "claimed",
        claimedAt: sampleTime + 2_000,
      });
      const ownership = {
        ownerId: "owner",
        claimedAt: sampleTime + 2_000,
        visibleFrom: sampleTime + 2_000,
      };
      expect(await b.devices.find(deviceId)).toMatchObject({ ownership, ownedBefore: true });
    },
  ),

  toRace("release: exactly one of many racers releases the device", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id, sampleOwnership());
      const outcomes = await race(handles, 16, (store) => release(store, { deviceId: id }));
      expect(onlyIndexOf(outcomes, "released"), "the only one").not.toBe(-1);
      expect(outcomes.filter(({ kind }) => kind === "not_owner")).toHaveLength(15);
      const found = await handles[1].devices.find(id);
      expect(found).toMatchObject({ revision: 2, credential: { epoch: 2 } });
      expect(await readLaterEvents(handles[0], id)).toHaveLength(1);
    }
  }),
];
