import type { ClaimStore, Device, GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import { eventOf, laterEventsOf, registered, sampleOwned, sampleTime } from "./samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "./store-case.js";

const deviceId = "gw-1";
const now = sampleTime + 60_000;

type Claim = Parameters<ClaimStore["claim"]>[0];
const claim = (store: GatewayStore, changes: Partial<Claim> = {}) =>
  store.claims.claim({
    ...{ deviceId, ownerId: "owner", claimCodeHash: "claim-code-hash", now },
    event: eventOf(changes.deviceId ?? deviceId, "device.claimed"),
    ...changes,
  });

/** What a claim does not change, whoever asks. */
async function expectUnchanged(store: GatewayStore, device: Device): Promise<void> {
  expect(await store.devices.find(device.deviceId)).toEqual(device);
  expect(await laterEventsOf(store, device.deviceId)).toEqual([]);
}

/** The promises of `ClaimStore.claim`. */
export const claimCases: readonly StoreCase[] = [
  toCase("claim: gives a device to its first owner, with the event", async ([a, b]) => {
    const device = await registered(a, deviceId);
    expect(await claim(b)).toEqual({ kind: "claimed", claimedAt: now });
    const ownership = { ownerId: "owner", claimedAt: now, visibleFrom: 0 };
    const claimed = { ...device, ownership, ownedBefore: true, revision: 2 };
    expect(await a.devices.find(deviceId)).toEqual(claimed);
    expect(await laterEventsOf(a, deviceId)).toEqual([{ kind: "device.claimed", details: {} }]);
  }),

  toCase("claim: shows an owner after another what comes from now on", async ([a, b]) => {
    await registered(a, deviceId, { ownedBefore: true });
    expect(await claim(b)).toEqual({ kind: "claimed", claimedAt: now });
    const ownership = { ownerId: "owner", claimedAt: now, visibleFrom: now };
    expect((await a.devices.find(deviceId))?.ownership).toEqual(ownership);
  }),

  toCase("claim: closes a re-enrolment window, and an owner's own stays open", async ([a, b]) => {
    const reEnrolmentUntil = now + 1;
    await registered(a, deviceId, { reEnrolmentUntil });
    expect(await claim(b)).toEqual({ kind: "claimed", claimedAt: now });
    expect((await a.devices.find(deviceId))?.reEnrolmentUntil).toBeNull();
    const device = await registered(a, "gw-2", { ...sampleOwned(), reEnrolmentUntil });
    for (const ownerId of ["owner", "other"]) await claim(b, { deviceId: "gw-2", ownerId });
    await expectUnchanged(a, device);
  }),

  toCase("claim: tells its owner since when, and writes nothing", async ([a, b]) => {
    const device = await registered(a, deviceId, sampleOwned());
    for (const store of [a, b]) {
      const outcome = await claim(store);
      expect(outcome).toEqual({ kind: "already_owned", claimedAt: sampleTime + 1 });
    }
    await expectUnchanged(a, device);
  }),

  toCase("claim: taken when somebody else owns it", async ([a, b]) => {
    const device = await registered(a, deviceId, sampleOwned());
    for (const ownerId of ["other", "OWNER", "owner ", ""]) {
      expect(await claim(b, { ownerId })).toEqual({ kind: "taken" });
    }
    await expectUnchanged(a, device);
  }),

  toCase("claim: by a legacy device's null, and by nothing else", async ([a, b]) => {
    const device = await registered(a, deviceId, { claimCodeHash: null });
    for (const claimCodeHash of ["claim-code-hash", "", "null"]) {
      expect(await claim(b, { claimCodeHash })).toEqual({ kind: "changed" });
    }
    await expectUnchanged(a, device);
    const outcome = await claim(b, { claimCodeHash: null });
    expect(outcome).toEqual({ kind: "claimed", claimedAt: now });
  }),

  toCase("claim: changed without such a device, or with another code", async ([a, b]) => {
    const device = await registered(a, deviceId);
    expect(await claim(b, { deviceId: "gw-2" })).toEqual({ kind: "changed" });
    for (const claimCodeHash of [null, "", "other", "CLAIM-CODE-HASH"]) {
      expect(await claim(b, { claimCodeHash })).toEqual({ kind: "changed" });
    }
    await expectUnchanged(a, device);
    expect(await a.devices.find("gw-2")).toBeNull();
  }),

  toCase("claim: changed when it is revoked, or its code is spent", async ([a, b]) => {
    const devices = [
      await registered(a, "gw-2", { revokedAt: sampleTime }),
      await registered(a, "gw-3", { claimCodeSpent: true, ownedBefore: true }),
    ];
    for (const device of devices) {
      expect(await claim(b, { deviceId: device.deviceId })).toEqual({ kind: "changed" });
      await expectUnchanged(a, device);
    }
  }),

  toCase("claim: who has another code learns nothing of owners", async ([a, b]) => {
    await registered(a, deviceId, sampleOwned());
    await registered(a, "gw-2", { ...sampleOwned(), revokedAt: sampleTime });
    for (const ownerId of ["owner", "other"]) {
      expect(await claim(b, { ownerId, claimCodeHash: "other" })).toEqual({ kind: "changed" });
      expect(await claim(a, { ownerId, deviceId: "gw-2" })).toEqual({ kind: "changed" });
    }
  }),

  toRace("claim: exactly one of many racers wins, and writes its event", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registered(handles[round % 2 ? 1 : 0], id);
      const outcomes = await race(handles, 16, (store, racer) =>
        claim(store, {
          ...{ deviceId: id, ownerId: `owner-${racer}`, now: now + racer },
          event: eventOf(id, "device.claimed", { racer }),
        }),
      );
      const winner = onlyIndexOf(outcomes, "claimed");
      expect(winner, "the only winner").not.toBe(-1);
      expect(outcomes[winner]).toEqual({ kind: "claimed", claimedAt: now + winner });
      expect(outcomes.filter(({ kind }) => kind === "taken")).toHaveLength(15);
      const ownership = { ownerId: `owner-${winner}`, claimedAt: now + winner, visibleFrom: 0 };
      expect((await handles[0].devices.find(id))?.ownership).toEqual(ownership);
      expect(await laterEventsOf(handles[1], id)).toEqual([
        { kind: "device.claimed", details: { racer: winner } },
      ]);
    }
  }),

  toRace("claim: one owner at many racing devices is told one time", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registered(handles[0], id);
      const outcomes = await race(handles, 16, (store, racer) =>
        claim(store, { deviceId: id, now: now + racer }),
      );
      const winner = onlyIndexOf(outcomes, "claimed");
      expect(winner, "the only winner").not.toBe(-1);
      const others = outcomes.filter((_, racer) => racer !== winner);
      const told = { kind: "already_owned", claimedAt: now + winner };
      expect(others).toEqual(Array(15).fill(told));
      expect(await laterEventsOf(handles[1], id)).toHaveLength(1);
    }
  }),

  toRace("claim: not of a device that is dropped at that moment", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registered(handles[0], id);
      const { deviceId: _, ...event } = eventOf(id, "device.dropped");
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
