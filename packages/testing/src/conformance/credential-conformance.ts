import type {
  Credential,
  Device,
  DeviceStore,
  GatewayStore,
  PendingCredential,
} from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "./samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "./store-case.js";

const deviceId = "gw-1";
const issuedAt = sampleTime + 1_000;
const credentialOf = (epoch: number): Credential => ({
  secretHash: `secret-${epoch}`,
  epoch,
  issuedAt,
});
const pendingOf = (epoch: number, isRotation = false): PendingCredential => ({
  ...credentialOf(epoch),
  isRotation,
});
const promotion = (details = {}) =>
  sampleSecurityEvent(deviceId, "device.credential_promoted", details);

type Rotation = Parameters<DeviceStore["rotate"]>[0];
const rotationOf = (device: Device, changes: Partial<Rotation> = {}): Rotation => ({
  deviceId: device.deviceId,
  expectedRevision: device.revision,
  pending: pendingOf(2),
  profile: device.profile,
  claimCodeHash: device.claimCodeHash,
  claimCodeSpent: device.claimCodeSpent,
  closeReEnrolment: false,
  event: sampleSecurityEvent(device.deviceId, "device.secret_rotated"),
  ...changes,
});

const use = (store: GatewayStore, epoch: number, now = sampleTime + 5_000) =>
  store.devices.recordUse({ deviceId, epoch, now, event: promotion() });

/** Cases for `DeviceStore.rotate`. */
const rotateCases: readonly StoreCase[] = [
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
  use: (store: GatewayStore) => use(store, 1),
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

/** Cases for `DeviceStore.recordUse`. */
const recordUseCases: readonly StoreCase[] = [
  toCase("recordUse: records the first use of the current credential once", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId);
    for (const now of [7_000, 8_000, 6_000]) {
      expect(await use(b, 1, now)).toEqual({ kind: "recorded" });
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
      expect(await use(b, 1)).toEqual({ kind: "recorded" });
      expect(await a.devices.find(deviceId)).toEqual(device);
    },
  ),

  toCase(
    "recordUse: use of the pending credential makes it current and removes the former one",
    async ([a, b]) => {
      const device = await registerSampleDevice(a, deviceId, { pendingCredential: pendingOf(2) });
      expect(await use(a, 2, 7_000)).toEqual({ kind: "recorded" });
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
      expect(await use(b, 1)).toEqual({ kind: "unknown" });
      expect(await use(b, 2)).toEqual({ kind: "recorded" });
      expect(await a.devices.find(deviceId)).toEqual(promoted);
      const { kind, details } = promotion();
      expect(await readLaterEvents(b, deviceId)).toEqual([{ kind, details }]);
    },
  ),

  toCase("recordUse: a promotion keeps the time of the first use", async ([a, b]) => {
    const used = { pendingCredential: pendingOf(2), firstUsedAt: 7_000 };
    await registerSampleDevice(a, deviceId, used);
    await use(b, 2, 9_000);
    expect((await a.devices.find(deviceId))?.firstUsedAt).toBe(7_000);
  }),

  toCase("recordUse: returns unknown for another epoch or an unknown device", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, { pendingCredential: pendingOf(3) });
    for (const epoch of [0, 2, 4, -1]) expect(await use(b, epoch)).toEqual({ kind: "unknown" });
    expect(await a.devices.find(deviceId)).toEqual(device);
    const gone = { deviceId: "gw-2", epoch: 1, now: 1, event: promotion() };
    expect(await a.devices.recordUse(gone)).toEqual({ kind: "unknown" });
  }),

  toCase("recordUse: returns unknown for both epochs of a revoked device", async ([a, b]) => {
    const revoked = { pendingCredential: pendingOf(2), revokedAt: sampleTime };
    const device = await registerSampleDevice(a, deviceId, revoked);
    for (const epoch of [1, 2]) expect(await use(b, epoch)).toEqual({ kind: "unknown" });
    expect(await a.devices.find(deviceId)).toEqual(device);
    expect(await readLaterEvents(a, deviceId)).toEqual([]);
  }),

  toRace("recordUse: many racers make one promotion and one event", async (handles) => {
    await registerSampleDevice(handles[0], deviceId);
    for (let epoch = 2; epoch < 10; epoch++) {
      const device = (await handles[0].devices.find(deviceId)) as Device;
      await handles[1].devices.rotate(rotationOf(device, { pending: pendingOf(epoch) }));
      const outcomes = await race(handles, 16, (store) => use(store, epoch));
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

export const credentialCases: readonly StoreCase[] = [...rotateCases, ...recordUseCases];
