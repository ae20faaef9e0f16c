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
const now = sampleTime + 60_000;

type Claim = Parameters<ClaimStore["claim"]>[0];
const claim = (store: GatewayStore, changes: Partial<Claim> = {}) =>
  store.claims.claim({
    ...{ deviceId, ownerId: "owner", claimCodeHash: "claim-code-hash", now },
    event: sampleSecurityEvent(changes.deviceId ?? deviceId, "device.claimed"),
    ...changes,
  });

const assign = (store: GatewayStore, changes: Partial<Claim> = {}) =>
  store.claims.assign({
    ...{ deviceId, ownerId: "owner", now },
    event: sampleSecurityEvent(changes.deviceId ?? deviceId, "device.assigned"),
    ...changes,
  });

/** Checks that the stored device equals this one. */
async function expectUnchanged(store: GatewayStore, device: Device): Promise<void> {
  expect(await store.devices.find(device.deviceId)).toEqual(device);
  expect(await readLaterEvents(store, device.deviceId)).toEqual([]);
}

/** Cases for `ClaimStore.claim` and `ClaimStore.assign`. */
export const claimCases: readonly StoreCase[] = [
  toCase("claim: gives a device to its first owner and writes the event", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId);
    expect(await claim(b)).toEqual({ kind: "claimed", claimedAt: now });
    const ownership = { ownerId: "owner", claimedAt: now, visibleFrom: 0 };
    const claimed = { ...device, ownership, ownedBefore: true, revision: 2 };
    expect(await a.devices.find(deviceId)).toEqual(claimed);
    expect(await readLaterEvents(a, deviceId)).toEqual([{ kind: "device.claimed", details: {} }]);
  }),

  toCase("claim: a later owner sees only data from the claim on", async ([a, b]) => {
    await registerSampleDevice(a, deviceId, { ownedBefore: true });
    expect(await claim(b)).toEqual({ kind: "claimed", claimedAt: now });
    const ownership = { ownerId: "owner", claimedAt: now, visibleFrom: now };
    expect((await a.devices.find(deviceId))?.ownership).toEqual(ownership);
  }),

  toCase(
    "claim: a later owner sees nothing from before the release, although the claim began before it",
    async ([a, b]) => {
      await registerSampleDevice(a, deviceId);
      await claim(a, { ownerId: "first" });
      const event = { ...sampleSecurityEvent(deviceId, "device.released"), at: now + 500 };
      await b.claims.release({ deviceId, ownerId: "first", spendCode: false, event });
      expect(await claim(a, { now: now + 1 })).toEqual({ kind: "claimed", claimedAt: now + 1 });
      expect((await b.devices.find(deviceId))?.ownership?.visibleFrom).toBe(now + 500);
    },
  ),

  toCase(
    "claim: closes a re-enrolment window, but not that of the device's owner",
    async ([a, b]) => {
      const reEnrolmentUntil = now + 1;
      await registerSampleDevice(a, deviceId, { reEnrolmentUntil });
      expect(await claim(b)).toEqual({ kind: "claimed", claimedAt: now });
      expect((await a.devices.find(deviceId))?.reEnrolmentUntil).toBeNull();
      const device = await registerSampleDevice(a, "gw-2", {
        ...sampleOwnership(),
        reEnrolmentUntil,
      });
      for (const ownerId of ["owner", "other"]) await claim(b, { deviceId: "gw-2", ownerId });
      await expectUnchanged(a, device);
    },
  ),

  toCase("claim: returns to its owner when they claimed it, and writes nothing", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, sampleOwnership());
    for (const store of [a, b]) {
      const outcome = await claim(store);
      expect(outcome).toEqual({ kind: "already_owned", claimedAt: sampleTime + 1 });
    }
    await expectUnchanged(a, device);
  }),

  toCase("claim: returns taken if somebody else owns the device", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, sampleOwnership());
    for (const ownerId of ["other", "OWNER", "owner ", ""]) {
      expect(await claim(b, { ownerId })).toEqual({ kind: "taken" });
    }
    await expectUnchanged(a, device);
  }),

  toCase("claim: matches a legacy device only with a code hash of null", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, { claimCodeHash: null });
    for (const claimCodeHash of ["claim-code-hash", "", "null"]) {
      expect(await claim(b, { claimCodeHash })).toEqual({ kind: "changed" });
    }
    await expectUnchanged(a, device);
    const outcome = await claim(b, { claimCodeHash: null });
    expect(outcome).toEqual({ kind: "claimed", claimedAt: now });
  }),

  toCase("claim: returns changed for an unknown device or another code", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId);
    expect(await claim(b, { deviceId: "gw-2" })).toEqual({ kind: "changed" });
    for (const claimCodeHash of [null, "", "other", "CLAIM-CODE-HASH"]) {
      expect(await claim(b, { claimCodeHash })).toEqual({ kind: "changed" });
    }
    await expectUnchanged(a, device);
    expect(await a.devices.find("gw-2")).toBeNull();
  }),

  toCase("claim: returns changed for a revoked device or a spent code", async ([a, b]) => {
    const devices = [
      await registerSampleDevice(a, "gw-2", { revokedAt: sampleTime }),
      await registerSampleDevice(a, "gw-3", { claimCodeSpent: true, ownedBefore: true }),
    ];
    for (const device of devices) {
      expect(await claim(b, { deviceId: device.deviceId })).toEqual({ kind: "changed" });
      await expectUnchanged(a, device);
    }
  }),

  toCase("claim: another code does not reveal whether the device has an owner", async ([a, b]) => {
    await registerSampleDevice(a, deviceId, sampleOwnership());
    await registerSampleDevice(a, "gw-2", { ...sampleOwnership(), revokedAt: sampleTime });
    for (const ownerId of ["owner", "other"]) {
      expect(await claim(b, { ownerId, claimCodeHash: "other" })).toEqual({ kind: "changed" });
      expect(await claim(a, { ownerId, deviceId: "gw-2" })).toEqual({ kind: "changed" });
    }
  }),

  toCase(
    "claim and assign: return changed if the caller saw an owner and there is none now",
    async ([a, b]) => {
      const device = await registerSampleDevice(a, deviceId, { ownedBefore: true });
      expect(await claim(b, { hadOwner: true })).toEqual({ kind: "changed" });
      expect(await assign(b, { hadOwner: true })).toEqual({ kind: "changed" });
      await expectUnchanged(a, device);
      expect(await claim(b, { hadOwner: false })).toEqual({ kind: "claimed", claimedAt: now });
      for (const store of [a, b]) {
        for (const own of [claim, assign]) {
          const again = await own(store, { hadOwner: true, now: now + 1 });
          expect(again).toEqual({ kind: "already_owned", claimedAt: now });
          const other = await own(store, { hadOwner: true, ownerId: "other" });
          expect(other).toEqual({ kind: "taken" });
        }
      }
    },
  ),

  toRace("claim: exactly one of many racers wins, and writes its event", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[round % 2 ? 1 : 0], id);
      const outcomes = await race(handles, 16, (store, racer) =>
        claim(store, {
          ...{ deviceId: id, ownerId: `owner-${racer}`, now: now + racer },
          event: sampleSecurityEvent(id, "device.claimed", { racer }),
        }),
      );
      const winner = onlyIndexOf(outcomes, "claimed");
      expect(winner, "the only winner").not.toBe(-1);
      expect(outcomes[winner]).toEqual({ kind: "claimed", claimedAt: now + winner });
      expect(outcomes.filter(({ kind }) => kind === "taken")).toHaveLength(15);
      const ownership = { ownerId: `owner-${winner}`, claimedAt: now + winner, visibleFrom: 0 };
      expect((await handles[0].devices.find(id))?.ownership).toEqual(ownership);
      expect(await readLaterEvents(handles[1], id)).toEqual([
        { kind: "device.claimed", details: { racer: winner } },
      ]);
    }
  }),

  toRace("claim: concurrent claims of one owner return the same time", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id);
      const outcomes = await race(handles, 16, (store, racer) =>
        claim(store, { deviceId: id, now: now + racer }),
      );
      const winner = onlyIndexOf(outcomes, "claimed");
      expect(winner, "the only winner").not.toBe(-1);
      const others = outcomes.filter((_, racer) => racer !== winner);
      const expected = { kind: "already_owned", claimedAt: now + winner };
      expect(others).toEqual(Array(15).fill(expected));
      expect(await readLaterEvents(handles[1], id)).toHaveLength(1);
    }
  }),

  toCase(
    "assign: gives a device without an owner to a customer, as a claim does",
    async ([a, b]) => {
      const device = await registerSampleDevice(a, deviceId, {
        ownedBefore: true,
        claimCodeSpent: true,
        reEnrolmentUntil: now + 1,
      });
      expect(await assign(b)).toEqual({ kind: "claimed", claimedAt: now });
      const ownership = { ownerId: "owner", claimedAt: now, visibleFrom: now };
      const owned = { ...device, ownership, reEnrolmentUntil: null, revision: 2 };
      expect(await a.devices.find(deviceId)).toEqual(owned);
      expect(await assign(a, { now: now + 1 })).toEqual({ kind: "already_owned", claimedAt: now });
      expect(await assign(b, { ownerId: "other" })).toEqual({ kind: "taken" });
      expect(await a.devices.find(deviceId)).toEqual(owned);
      expect(await readLaterEvents(a, deviceId)).toEqual([
        { kind: "device.assigned", details: {} },
      ]);
    },
  ),

  toCase("assign: refuses an unknown device and a revoked one, owned or not", async ([a, b]) => {
    expect(await assign(a)).toEqual({ kind: "unknown" });
    const revokedAt = sampleTime;
    const devices = [
      await registerSampleDevice(a, "gw-2", { revokedAt }),
      await registerSampleDevice(a, "gw-3", { ...sampleOwnership(), revokedAt }),
    ];
    for (const device of devices) {
      expect(await assign(b, { deviceId: device.deviceId })).toEqual({ kind: "revoked" });
      await expectUnchanged(a, device);
    }
  }),

  toRace("assign: exactly one of many claims and assignments wins", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id);
      const outcomes = await race<{ kind: string }>(handles, 16, (store, racer) =>
        (racer % 2 ? claim : assign)(store, { deviceId: id, ownerId: `owner-${racer}` }),
      );
      const winner = onlyIndexOf(outcomes, "claimed");
      expect(winner, "the only winner").not.toBe(-1);
      expect(outcomes.filter(({ kind }) => kind === "taken")).toHaveLength(15);
      const found = await handles[0].devices.find(id);
      expect(found?.ownership?.ownerId).toBe(`owner-${winner}`);
      expect(await readLaterEvents(handles[1], id)).toHaveLength(1);
    }
  }),

  toRace("claim: never claims a device that is dropped at the same moment", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id);
      const { deviceId: _, ...event } = sampleSecurityEvent(id, "device.dropped");
      const drop = { deviceId: id, registeredBefore: now, limit: 1, event };
      const [claimed, dropped] = await Promise.all([
        claim(handles[round % 2 ? 1 : 0], { deviceId: id }),
        handles[round % 2 ? 0 : 1].devices.dropUnused(drop),
      ]);
      expect(dropped).toEqual(claimed.kind === "claimed" ? [] : [id]);
      const found = await handles[0].devices.find(id);
      expect(found?.ownership?.ownerId).toBe(claimed.kind === "claimed" ? "owner" : undefined);
    }
  }),
];
