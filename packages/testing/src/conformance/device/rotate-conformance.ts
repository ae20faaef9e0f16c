import type { GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  deviceId,
  issuedAt,
  pendingOf,
  rotationOf,
  useCredential,
} from "../samples/credential-samples.js";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

/** Cases for `DeviceStore.rotate`. */
export const rotateCases: readonly StoreCase[] = [
  toCase("rotate: stores every field of the rotation and its event", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, {
      ...sampleOwnership(),
      reEnrolmentUntil: issuedAt,
    });
    const profile = { ...device.profile, firmwareVersion: "0.2.0", boardProfile: null };
    const codes = { claimCodeHash: "other-hash", claimCodeSpent: true };
    const first = rotationOf(device, { profile, ...codes });
    expect(await a.devices.rotate(first)).toEqual({ kind: "rotated" });
    const rotated = { ...device, profile, ...codes, pendingCredential: pendingOf(2), revision: 2 };
    expect(await b.devices.find(deviceId)).toEqual(rotated);
    const event = sampleSecurityEvent(deviceId, "device.registered_again");
    const second = rotationOf(device, {
      expectedRevision: 2,
      pending: pendingOf(3),
      claimCodeHash: null,
      closeReEnrolment: true,
      event,
    });
    expect(await b.devices.rotate(second)).toEqual({ kind: "rotated" });
    expect(await a.devices.find(deviceId)).toEqual({
      ...device,
      ...{ claimCodeHash: null, pendingCredential: pendingOf(3), reEnrolmentUntil: null },
      revision: 3,
    });
    const kinds = (await readLaterEvents(a, deviceId)).map(({ kind }) => kind);
    expect(kinds).toEqual(["device.secret_rotated", "device.registered_again"]);
  }),

  toCase(
    "rotate: keeps isRotation with the pending credential until it is promoted",
    async ([a, b]) => {
      for (const isRotation of [true, false]) {
        const id = `gw-${isRotation}`;
        const device = await registerSampleDevice(a, id, { firstUsedAt: sampleTime });
        for (const [revision, flag] of [isRotation, !isRotation, isRotation].entries()) {
          const pending = pendingOf(revision + 2, flag);
          await a.devices.rotate(rotationOf(device, { expectedRevision: revision + 1, pending }));
          expect((await b.devices.find(id))?.pendingCredential).toEqual(pending);
        }
        await a.devices.revoke({
          deviceId: id,
          now: 1,
          event: sampleSecurityEvent(id, "device.revoked"),
        });
        await a.devices.reinstate({
          deviceId: id,
          event: sampleSecurityEvent(id, "device.reinstated"),
        });
        const reinstated = { ...pendingOf(4, isRotation), epoch: 6 };
        expect((await b.devices.find(id))?.pendingCredential).toEqual(reinstated);
        const event = sampleSecurityEvent(id, "device.credential_promoted");
        await b.devices.recordUse({ deviceId: id, epoch: 6, now: 1, event });
        const { isRotation: _, ...credential } = reinstated;
        const promoted = { ...device, credential, pendingCredential: null, revision: 7 };
        expect(await a.devices.find(id)).toEqual(promoted);
      }
    },
  ),

  toCase(
    "rotate: returns conflict at another revision or for an unknown device",
    async ([a, b]) => {
      const device = await registerSampleDevice(a, deviceId, { revision: 5 });
      for (const expectedRevision of [4, 6, 0, -1]) {
        const outcome = await b.devices.rotate(rotationOf(device, { expectedRevision }));
        expect(outcome).toEqual({ kind: "conflict" });
      }
      const gone = rotationOf(device, { deviceId: "gw-2" });
      expect(await b.devices.rotate(gone)).toEqual({ kind: "conflict" });
      expect(await a.devices.find(deviceId)).toEqual(device);
      expect(await readLaterEvents(a, deviceId)).toEqual([]);
    },
  ),

  ...(["claim", "release", "revoke", "reinstate", "use", "rename", "window"] as const).map(
    (between) =>
      toCase(`rotate: returns conflict after a concurrent ${between}`, async ([a, b]) => {
        const owned = between === "release" ? sampleOwnership() : {};
        const revoked = between === "reinstate" ? { revokedAt: sampleTime } : {};
        const device = await registerSampleDevice(a, deviceId, { ...owned, ...revoked });
        await transitions[between](b);
        const rotation = rotationOf(device, { pending: pendingOf(9) });
        expect(await a.devices.rotate(rotation)).toEqual({ kind: "conflict" });
        expect((await b.devices.find(deviceId))?.pendingCredential).toBeNull();
      }),
  ),

  toRace("rotate: exactly one of many racers wins a revision", async (handles) => {
    const device = await registerSampleDevice(handles[0], deviceId);
    for (let revision = 1; revision <= 8; revision++) {
      const outcomes = await race(handles, 16, (store, racer) =>
        store.devices.rotate(
          rotationOf(device, {
            expectedRevision: revision,
            pending: pendingOf(revision * 100 + racer),
          }),
        ),
      );
      const winner = onlyIndexOf(outcomes, "rotated");
      expect(winner, "the only winner").not.toBe(-1);
      expect(outcomes.filter(({ kind }) => kind === "conflict")).toHaveLength(15);
      const found = await handles[1].devices.find(deviceId);
      const pendingCredential = pendingOf(revision * 100 + winner);
      expect(found).toEqual({ ...device, pendingCredential, revision: revision + 1 });
    }
    expect(await readLaterEvents(handles[0], deviceId)).toHaveLength(8);
  }),

  toRace("rotate: never overwrites a concurrent claim with old data", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const device = await registerSampleDevice(handles[0], `gw-${round}`);
      const claim = {
        deviceId: device.deviceId,
        ...{ ownerId: "owner", claimCodeHash: device.claimCodeHash, now: issuedAt },
        event: sampleSecurityEvent(device.deviceId, "device.claimed"),
      };
      const outcomes = await race<{ kind: string }>(handles, 2, (store, racer) =>
        (racer + round) % 2 === 0
          ? store.claims.claim(claim)
          : store.devices.rotate(rotationOf(device)),
      );
      const rotated = onlyIndexOf(outcomes, "rotated") !== -1;
      const found = await handles[1].devices.find(device.deviceId);
      expect(onlyIndexOf(outcomes, "claimed")).not.toBe(-1);
      expect(found?.ownership?.ownerId).toBe("owner");
      expect(found?.pendingCredential).toEqual(rotated ? pendingOf(2) : null);
    }
  }),
];

const operator = { deviceId, ownerId: null };
/** Transitions that must make an earlier decision to rotate fail. */
const transitions = {
  claim: (store: GatewayStore) =>
    store.claims.claim({
      ...{ deviceId, ownerId: "owner", claimCodeHash: "claim-code-hash", now: issuedAt },
      event: sampleSecurityEvent(deviceId, "device.claimed"),
    }),
  release: (store: GatewayStore) =>
    store.claims.release({
      ...{ deviceId, ownerId: "owner", spendCode: false },
      event: sampleSecurityEvent(deviceId, "device.released"),
    }),
  revoke: (store: GatewayStore) =>
    store.devices.revoke({
      deviceId,
      now: issuedAt,
      event: sampleSecurityEvent(deviceId, "device.revoked"),
    }),
  reinstate: (store: GatewayStore) =>
    store.devices.reinstate({
      deviceId,
      event: sampleSecurityEvent(deviceId, "device.reinstated"),
    }),
  use: (store: GatewayStore) => useCredential(store, 1),
  rename: (store: GatewayStore) =>
    store.devices.rename({
      ...operator,
      name: "n",
      event: sampleSecurityEvent(deviceId, "device.renamed"),
    }),
  window: (store: GatewayStore) =>
    store.devices.openReEnrolment({
      ...{ ...operator, until: issuedAt },
      event: sampleSecurityEvent(deviceId, "device.re_enrolment_opened"),
    }),
};
