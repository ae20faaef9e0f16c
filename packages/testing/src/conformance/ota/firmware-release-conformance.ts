import type {
  GatewayStore,
  NewRelease,
  Release,
  ReleaseChanges,
  ReleaseStatus,
} from "@device-gateway/core/store";
import { expect } from "vitest";
import { sampleSecurityEvent, sampleTime } from "../samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const now = sampleTime + 1;
const everything: readonly ReleaseStatus[] = ["draft", "active", "paused", "withdrawn"];

/**
 * Returns a draft release of version 1.2.3 for gw-2, without an image.
 *
 * @example
 * await store.releases.create({ release: sampleRelease({ version: "1.3.0" }), event });
 */
export function sampleRelease(changes: Partial<NewRelease> = {}): NewRelease {
  return {
    version: "1.2.3",
    targetHardware: "gw-2",
    releasedAt: "2025-06-01T12:00:00Z",
    sha256: "ab".repeat(32),
    size: 1_234_567,
    signature: "c2lnbmF0dXJl",
    signingKeyId: "key-1",
    signatureAlgorithm: "ecdsa-p256-sha256",
    externalUrl: null,
    rolloutChannel: "stable",
    rolloutPercent: 100,
    mandatory: false,
    notes: "",
    minVersion: null,
    status: "draft",
    hasImage: false,
    haltedAt: null,
    createdAt: sampleTime,
    activatedAt: null,
    ...changes,
  };
}

const created = sampleSecurityEvent("", "release.created", { by: "test" });
const changedEvent = sampleSecurityEvent("", "release.changed", { by: "test" });
const create = (store: GatewayStore, changes: Partial<NewRelease> = {}) =>
  store.releases.create({ release: sampleRelease(changes), event: created });
const createdId = async (store: GatewayStore, changes: Partial<NewRelease> = {}) =>
  (await create(store, changes)).release.id;
const change = (store: GatewayStore, id: number, expectedRevision: number, to: ReleaseChanges) =>
  store.releases.change({ id, expectedRevision, changes: to, event: changedEvent });
const eventsIn = async (store: GatewayStore) =>
  (await store.securityEvents.list({ after: 0, limit: 9_999 })).map(({ kind, details }) => ({
    kind,
    details,
  }));
const idsOf = (releases: readonly Release[]) => releases.map(({ id }) => id);
const anyOf = { targetHardware: null, rolloutChannel: null, statuses: everything };
const listAll = (store: GatewayStore) =>
  store.releases.list({ ...anyOf, before: Number.MAX_SAFE_INTEGER, limit: 9_999 });

/** Every field has another value than the sample. */
const unusual: NewRelease = {
  version: "0.10.200",
  targetHardware: "gw-3 ßé漢🙂",
  releasedAt: "2025-06-01T14:00:00+02:00",
  sha256: "0f".repeat(32),
  size: 2 ** 40,
  signature: "AAAA+/==",
  signingKeyId: "key 'two\"",
  signatureAlgorithm: "ed25519",
  externalUrl: "https://cdn.example.com/a?b=c",
  rolloutChannel: "beta",
  rolloutPercent: 0,
  mandatory: true,
  notes: "one\ntwo 'three' 🙂",
  minVersion: "0.1.4",
  status: "paused",
  hasImage: true,
  haltedAt: now,
  createdAt: now + 1,
  activatedAt: now + 2,
};

/** Cases for `ReleaseStore`. */
export const firmwareReleaseCases: readonly StoreCase[] = [
  toCase("releases: a release is read back as created, with an id above 0", async ([a, b]) => {
    expect(await b.releases.find(1)).toBeNull();
    const outcomes = [await create(a), await create(b, unusual)];
    expect(outcomes).toEqual([
      { kind: "created", release: { ...sampleRelease(), id: expect.any(Number), revision: 1 } },
      { kind: "created", release: { ...unusual, id: expect.any(Number), revision: 1 } },
    ]);
    for (const { release } of outcomes) {
      expect(await b.releases.find(release.id)).toEqual(release);
      expect(release.id).toBeGreaterThan(0);
    }
    expect(outcomes[1]?.release.id).toBeGreaterThan(outcomes[0]?.release.id ?? Infinity);
  }),

  toCase("releases: a version exists once for each target hardware", async ([a, b]) => {
    const { release } = await create(a);
    const again = await create(b, { sha256: "cd".repeat(32), rolloutChannel: "beta" });
    expect(again).toEqual({ kind: "exists", release });
    expect((await create(b, { version: "1.2.4" })).kind).toBe("created");
    expect((await create(b, { targetHardware: "gw-3" })).kind).toBe("created");
    expect(await listAll(a)).toHaveLength(3);
    expect(await eventsIn(a)).toHaveLength(3);
  }),

  toCase("releases: a withdrawn draft frees its version", async ([a, b]) => {
    const { release } = await create(a);
    await change(a, release.id, 1, { status: "withdrawn" });
    const second = await create(b);
    expect(second.kind).toBe("created");
    await change(b, second.release.id, 1, { status: "active", activatedAt: now });
    await change(a, second.release.id, 2, { status: "withdrawn" });
    expect((await create(a)).kind).toBe("exists");
  }),

  toCase("releases: a change needs the revision that the caller read", async ([a, b]) => {
    const { release } = await create(a);
    const { id } = release;
    const changes: ReleaseChanges = {
      status: "active",
      rolloutPercent: 10,
      rolloutChannel: "beta",
      hasImage: true,
      haltedAt: now,
      activatedAt: now,
    };
    expect(await change(b, id, 2, changes)).toEqual({ kind: "conflict" });
    expect(await change(b, id + 1, 1, changes)).toEqual({ kind: "unknown" });
    expect(await a.releases.find(id)).toEqual(release);
    const changed = { ...release, ...changes, revision: 2 };
    expect(await change(b, id, 1, changes)).toEqual({ kind: "changed", release: changed });
    expect(await a.releases.find(id)).toEqual(changed);
    expect(await change(a, id, 1, { rolloutPercent: 20 })).toEqual({ kind: "conflict" });
    const back = { ...changed, haltedAt: null, revision: 3 };
    expect(await change(a, id, 2, { haltedAt: null })).toEqual({ kind: "changed", release: back });
  }),

  toCase("releases: each change writes an event with the release's id", async ([a, b]) => {
    const id = await createdId(a);
    await change(b, id, 1, { rolloutPercent: 20 });
    await change(b, id, 1, { rolloutPercent: 30 });
    await change(b, id + 1, 1, { rolloutPercent: 30 });
    expect(await eventsIn(a)).toEqual([
      { kind: "release.created", details: { by: "test", releaseId: id } },
      { kind: "release.changed", details: { by: "test", releaseId: id } },
    ]);
  }),

  toCase(
    "releases: are listed newest first, by status, target and channel, in pages",
    async ([a, b]) => {
      const ids: number[] = [];
      for (let n = 0; n < 8; n++) {
        ids.push(
          await createdId(n % 2 ? a : b, {
            version: `1.0.${n}`,
            targetHardware: n % 2 ? "gw-2" : "gw-3",
            rolloutChannel: n < 4 ? "stable" : "beta",
            status: everything[n % 4] as ReleaseStatus,
            activatedAt: now,
          }),
        );
      }
      const newest = [...ids].reverse();
      expect(idsOf(await listAll(a))).toEqual(newest);
      const before = newest[1] as number;
      expect(idsOf(await b.releases.list({ ...anyOf, before, limit: 3 }))).toEqual(
        newest.slice(2, 5),
      );
      const all = { before: Number.MAX_SAFE_INTEGER, limit: 99 };
      const ofTarget = { ...anyOf, ...all, targetHardware: "gw-2" };
      expect(idsOf(await a.releases.list(ofTarget))).toEqual(newest.filter((_, n) => n % 2 === 0));
      const ofChannel = { ...anyOf, ...all, rolloutChannel: "beta" };
      expect(idsOf(await a.releases.list(ofChannel))).toEqual(newest.slice(0, 4));
      const paused = { ...anyOf, ...all, statuses: ["paused"] as const };
      expect(idsOf(await a.releases.list(paused))).toEqual([ids[6], ids[2]]);
      expect(await a.releases.list({ ...anyOf, ...all, statuses: [] })).toEqual([]);
      expect(idsOf(await b.releases.offerable())).toEqual([ids[1], ids[5]]);
    },
  ),

  toCase("since: reports created and changed releases, and nothing else", async ([a, b]) => {
    const { cursor } = await b.changes.since(null);
    const reportedSince = async (from: string) => {
      const outcome = await b.changes.since(from);
      return outcome.kind === "changes" && outcome;
    };
    const id = await createdId(a);
    expect(await reportedSince(cursor)).toMatchObject({ releasesChanged: true, deviceIds: [] });
    const next = (await b.changes.since(cursor)).cursor;
    await create(a);
    await change(a, id, 7, { rolloutPercent: 1 });
    await change(a, id + 1, 1, { rolloutPercent: 1 });
    expect(await reportedSince(next)).toMatchObject({ releasesChanged: false, deviceIds: [] });
    await change(a, id, 1, { rolloutPercent: 1 });
    expect(await reportedSince(next)).toMatchObject({ releasesChanged: true, deviceIds: [] });
  }),

  toRace("releases: exactly one of many racers creates a version", async (handles) => {
    for (let round = 0; round < 5; round++) {
      const version = `1.0.${round}`;
      const outcomes = await race(handles, 16, (store, racer) =>
        create(store, { version, size: racer + 1 }),
      );
      const winner = onlyIndexOf(outcomes, "created");
      expect(winner).toBeGreaterThanOrEqual(0);
      const [release] = (await listAll(handles[0])).filter((found) => found.version === version);
      expect(release?.size).toBe(winner + 1);
      for (const outcome of outcomes) expect(outcome.release).toEqual(release);
    }
    expect(await eventsIn(handles[0])).toHaveLength(5);
  }),

  toRace("releases: exactly one of many racers changes a revision", async (handles) => {
    const id = await createdId(handles[0]);
    for (let revision = 1; revision < 6; revision++) {
      const outcomes = await race(handles, 16, (store, racer) =>
        change(store, id, revision, { rolloutPercent: racer }),
      );
      const winner = onlyIndexOf(outcomes, "changed");
      expect(winner).toBeGreaterThanOrEqual(0);
      const release = await handles[1].releases.find(id);
      expect(release).toMatchObject({ rolloutPercent: winner, revision: revision + 1 });
    }
    expect(await eventsIn(handles[0])).toHaveLength(6);
  }),
];
