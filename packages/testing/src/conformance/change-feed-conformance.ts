import type { ChangeFeed, GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  registerSampleDevice,
  sampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "./samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const deviceId = "gw-1";
const now = sampleTime + 1;
const { deviceId: _, ...dropped } = sampleSecurityEvent(deviceId, "device.dropped");
const pendingCredential = { secretHash: "pending", epoch: 2, issuedAt: now, isRotation: false };
const operator = { deviceId, ownerId: null };

async function cursorOf(changes: ChangeFeed): Promise<string> {
  return (await changes.since(null)).cursor;
}

async function changedSince(store: GatewayStore, cursor: string): Promise<readonly string[]> {
  const outcome = await store.changes.since(cursor);
  expect(outcome.kind).toBe("changes");
  return outcome.kind === "changes" ? [...new Set(outcome.deviceIds)] : [];
}

/** For each case: what differs in the device, and a transition that the feed must report. */
const reportedTransitions: Record<
  string,
  readonly [Parameters<typeof sampleDevice>[1], (store: GatewayStore) => Promise<unknown>]
> = {
  rotate: [
    {},
    (store) =>
      store.devices.rotate({
        ...{ deviceId, expectedRevision: 1, pending: pendingCredential },
        profile: sampleDevice(deviceId).profile,
        ...{ claimCodeHash: null, claimCodeSpent: false, closeReEnrolment: false },
        event: sampleSecurityEvent(deviceId, "device.secret_rotated"),
      }),
  ],
  "recordUse, first use": [{}, (store) => use(store, 1)],
  "recordUse, promotion": [{ pendingCredential }, (store) => use(store, 2)],
  recordProfile: [
    {},
    (store) =>
      store.devices.recordProfile({ deviceId, profile: sampleDevice(deviceId).profile, now }),
  ],
  rename: [
    {},
    (store) =>
      store.devices.rename({
        ...operator,
        name: "n",
        event: sampleSecurityEvent(deviceId, "device.renamed"),
      }),
  ],
  openReEnrolment: [
    {},
    (store) =>
      store.devices.openReEnrolment({
        ...{ ...operator, until: now },
        event: sampleSecurityEvent(deviceId, "device.re_enrolment_opened"),
      }),
  ],
  revoke: [{}, (store) => revoke(store, deviceId)],
  reinstate: [
    { revokedAt: now },
    (store) =>
      store.devices.reinstate({
        deviceId,
        event: sampleSecurityEvent(deviceId, "device.reinstated"),
      }),
  ],
  erase: [
    {},
    (store) =>
      store.devices.erase({
        deviceId,
        block: true,
        event: sampleSecurityEvent(deviceId, "device.erased"),
      }),
  ],
  dropUnused: [
    {},
    (store) =>
      store.devices.dropUnused({
        ...{ deviceId: null, registeredBefore: now, limit: 9 },
        event: dropped,
      }),
  ],
  claim: [
    {},
    (store) =>
      store.claims.claim({
        ...{ deviceId, ownerId: "owner", claimCodeHash: "claim-code-hash", now },
        event: sampleSecurityEvent(deviceId, "device.claimed"),
      }),
  ],
  release: [
    sampleOwnership(),
    (store) =>
      store.claims.release({
        ...{ deviceId, ownerId: "owner", spendCode: false },
        event: sampleSecurityEvent(deviceId, "device.released"),
      }),
  ],
  replaceOverrides: [
    {},
    (store) =>
      store.config.replaceOverrides({
        ...{ ...operator, values: {}, expectedRevision: 0 },
        event: sampleSecurityEvent(deviceId, "device.configured"),
      }),
  ],
};

const use = (store: GatewayStore, epoch: number) =>
  store.devices.recordUse({
    ...{ deviceId, epoch, now },
    event: sampleSecurityEvent(deviceId, "device.credential_promoted"),
  });
const revoke = (store: GatewayStore, id: string, at = sampleTime) =>
  store.devices.revoke({
    deviceId: id,
    now,
    event: { ...sampleSecurityEvent(id, "device.revoked"), at },
  });

/** Cases for `ChangeFeed`. */
export const changeFeedCases: readonly StoreCase[] = [
  toCase("since: null returns a reset with a cursor that continues from there", async ([a, b]) => {
    const first = await a.changes.since(null);
    expect(first).toEqual({ kind: "reset", cursor: expect.any(String) });
    const nothing = { kind: "changes", deviceIds: [], releasesChanged: false };
    expect(await b.changes.since(first.cursor)).toMatchObject(nothing);
    await registerSampleDevice(a, deviceId);
    const second = await b.changes.since(null);
    expect(second).toEqual({ kind: "reset", cursor: expect.any(String) });
    expect(await changedSince(a, second.cursor)).toEqual([]);
  }),

  toCase("since: an invalid cursor, or one ahead of the feed, returns a reset", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    const cursor = await cursorOf(a.changes);
    for (const strange of ["x", "-1", "99999999999", "NaN"]) {
      const outcome = await b.changes.since(strange);
      expect(outcome, strange).toMatchObject({ kind: "reset" });
      expect(await changedSince(a, outcome.cursor)).toEqual([]);
    }
    expect(await changedSince(b, cursor)).toEqual([]);
  }),

  ...Object.entries(reportedTransitions).map(([name, [before, run]]) =>
    toCase(`since: reports ${name}`, async ([a, b]) => {
      await registerSampleDevice(a, deviceId, before);
      await registerSampleDevice(a, "gw-2", { firstUsedAt: now });
      const cursor = await cursorOf(b.changes);
      await run(a);
      expect(await changedSince(b, cursor)).toEqual([deviceId]);
    }),
  ),

  toCase("since: reports a registration", async ([a, b]) => {
    const cursor = await cursorOf(b.changes);
    await registerSampleDevice(a, deviceId);
    expect(await changedSince(b, cursor)).toEqual([deviceId]);
  }),

  toCase(
    "since: does not report calls without effect, or when a device was seen or sent records",
    async ([a, b]) => {
      await registerSampleDevice(a, deviceId, { ...sampleOwnership(), firstUsedAt: 1 });
      const cursor = await cursorOf(b.changes);
      const records = [sampleRecord()];
      await a.devices.recordSeen({ deviceId, now });
      await a.telemetry.append({ deviceId, receivedAt: now, records, once: null });
      await use(a, 1);
      await use(a, 7);
      await a.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
      await a.devices.reinstate({
        deviceId,
        event: sampleSecurityEvent(deviceId, "device.reinstated"),
      });
      await a.claims.release({
        ...{ deviceId, ownerId: "other", spendCode: true },
        event: sampleSecurityEvent(deviceId, "device.released"),
      });
      await revoke(a, "nobody");
      expect(await changedSince(b, cursor)).toEqual([]);
    },
  ),

  toCase("since: returns all changes after any cursor", async ([a, b]) => {
    const cursors = [await cursorOf(a.changes)];
    for (let n = 0; n < 5; n++) {
      await registerSampleDevice(n % 2 ? a : b, `gw-${n}`);
      cursors.push((await (n % 2 ? b : a).changes.since(cursors.at(-1) ?? null)).cursor);
    }
    for (const [n, cursor] of cursors.entries()) {
      const later = [0, 1, 2, 3, 4].filter((m) => m >= n).map((m) => `gw-${m}`);
      expect([...(await changedSince(a, cursor))].sort()).toEqual(later);
    }
  }),

  toCase("prune: a cursor from before the pruned changes returns a reset", async ([a, b]) => {
    const start = await cursorOf(a.changes);
    for (let n = 0; n < 4; n++) {
      await registerSampleDevice(a, `gw-${n}`);
      await revoke(a, `gw-${n}`, sampleTime + 100 + n);
    }
    const end = await cursorOf(a.changes);
    expect(await b.changes.prune({ before: sampleTime, limit: 99 })).toBe(0);
    expect(await changedSince(b, start)).toHaveLength(4);
    expect(await b.changes.prune({ before: sampleTime + 103, limit: 3 })).toBe(3);
    expect(await a.changes.prune({ before: sampleTime + 103, limit: 99 })).toBe(4);
    expect(await a.changes.prune({ before: sampleTime + 103, limit: 99 })).toBe(0);
    expect(await a.changes.since(start)).toEqual({ kind: "reset", cursor: end });
    expect(await changedSince(b, end)).toEqual([]);
  }),

  toCase("prune: after pruning everything, a cursor at the end stays valid", async ([a, b]) => {
    const start = await cursorOf(a.changes);
    await registerSampleDevice(a, deviceId);
    const end = await cursorOf(a.changes);
    expect(await a.changes.prune({ before: sampleTime + 1, limit: 99 })).toBe(1);
    expect(await b.changes.since(start)).toEqual({ kind: "reset", cursor: end });
    expect(await b.changes.since(null)).toEqual({ kind: "reset", cursor: end });
    expect(await changedSince(b, end)).toEqual([]);
    await revoke(a, deviceId);
    expect(await changedSince(b, end)).toEqual([deviceId]);
    expect(await b.changes.since(start)).toMatchObject({ kind: "reset" });
  }),

  toCase("prune: knows which changes it deleted even if clocks differ", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    const between = await cursorOf(a.changes);
    await revoke(b, deviceId, sampleTime - 10);
    expect(await a.changes.prune({ before: sampleTime, limit: 9 })).toBe(1);
    expect(await b.changes.prune({ before: sampleTime + 1, limit: 9 })).toBe(1);
    expect(await a.changes.since(between)).toMatchObject({ kind: "reset" });
  }),

  toRace("since: a reader that polls during concurrent writes misses nothing", async (handles) => {
    const seen = new Set<string>();
    let cursor = await cursorOf(handles[1].changes);
    const poll = async (store: GatewayStore): Promise<void> => {
      const outcome = await store.changes.since(cursor);
      expect(outcome.kind).toBe("changes");
      cursor = outcome.cursor;
      if (outcome.kind === "changes") for (const id of outcome.deviceIds) seen.add(id);
    };
    let writing = true;
    const written = race(handles, 64, async (store, n) => {
      for (let turn = 0; turn < 4; turn++) await registerSampleDevice(store, `gw-${n}-${turn}`);
    }).finally(() => {
      writing = false;
    });
    for (let turn = 0; writing; turn++) {
      await poll(handles[turn % 2 ? 1 : 0]);
      await new Promise<void>((resolve) => setTimeout(resolve));
    }
    await written;
    await poll(handles[0]);
    expect(seen.size).toBe(256);
  }),
];
