import type {
  OtaEvent,
  OtaEventStore,
  OtaReport,
  Release,
  ReleaseStatus,
  ReleaseStore,
  UpdateReport,
  UpdateStore,
} from "@device-gateway/core/store";
import fc from "fast-check";
import { sampleUpdateRules } from "../../../packages/testing/src/conformance/samples/samples.js";
import {
  at,
  channels,
  deviceIds,
  eventOf,
  freeText,
  hardware,
  hourMs,
  limits,
  minuteMs,
  part,
  staleness,
  versions,
} from "./pools.js";
import { drafted, pick, type RecipesOf, type Side } from "./recipe.js";

const rules = { ...sampleUpdateRules, maxFailures: 2, blockMs: 3 * hourMs, timeoutMs: 5 * hourMs };

/** Fields of OTA events. */
export const otaEvents = fc.record({
  source: fc.constantFrom("telemetry", "device", "command", "server", "server"),
  state: fc.constantFrom<OtaEvent["state"]>(
    ...(["offered", "offered", "downloading", "downloaded", "verified", "installing"] as const),
    ...(["rebooting", "succeeded", "failed", "failed", "rejected", "rolled_back"] as const),
    ...(["cancelled", "timed_out"] as const),
  ),
  offeredVersion: fc.option(versions, { freq: 8 }),
  fromVersion: versions,
  lastResult: freeText,
  lastCheckSucceeded: fc.constantFrom(null, true, false),
  updateAvailable: fc.constantFrom(null, false),
  updateApplied: fc.constantFrom(null, true),
  progress: fc.constantFrom(null, 0, 90, 100),
  message: fc.option(freeText),
}) satisfies fc.Arbitrary<Omit<OtaEvent, "createdAt" | "deviceId">>;

/** OTA status in a telemetry record. The recipe of `append` adds the device and record. */
export const otaReport: fc.Arbitrary<{
  toInput(side: Side, deviceId: string, record: number): OtaReport;
}> = fc
  .record({ fingerprint: fc.constantFrom("idle", "busy"), event: otaEvents })
  .map(({ fingerprint, event }) => ({
    toInput: ({ now }, deviceId, record) => ({
      record,
      fingerprint,
      event: { ...event, source: "telemetry", createdAt: now, deviceId },
      rules,
    }),
  }));

const reports = drafted(
  fc.record({
    deviceId: deviceIds,
    event: otaEvents,
    release: fc.option(part, { freq: 2 }),
    servesImage: fc.boolean(),
    fingerprint: fc.constantFrom(null, "posted-1", "posted-2"),
  }),
  ({ deviceId, event, release, servesImage, fingerprint }, side) => {
    const report: UpdateReport = {
      event: { ...event, createdAt: side.now, deviceId },
      releaseId: release === null ? null : pick(side, "release", release) || null,
      servesImage,
      fingerprint,
    };
    return { report, rules };
  },
);

const releaseIds = { releaseId: "release" } as const;

export const updateRecipes: RecipesOf<UpdateStore> = {
  report: { drafts: reports },
  list: { drafts: drafted(deviceIds, (deviceId) => deviceId), ids: releaseIds },
  counts: { drafts: drafted(part, (share, side) => pick(side, "release", share)) },
  overdue: {
    drafts: drafted(
      fc.record({
        ago: fc.constantFrom(minuteMs, hourMs, 5 * hourMs),
        silent: fc.constantFrom(0, minuteMs, hourMs),
        limit: limits,
      }),
      ({ ago, silent, limit }, { now }) => ({
        before: now - ago,
        silentSince: now - silent,
        limit,
      }),
    ),
    ids: releaseIds,
  },
  setOtaTarget: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        channel: fc.option(channels, { nil: undefined }),
        pinnedVersion: fc.option(fc.option(versions), { nil: undefined }),
        benchMode: fc.option(fc.boolean(), { nil: undefined }),
      }),
      ({ deviceId, channel, pinnedVersion, benchMode }, side) => ({
        deviceId,
        ...(channel !== undefined && { channel }),
        ...(pinnedVersion !== undefined && { pinnedVersion }),
        ...(benchMode !== undefined && { benchMode }),
        event: eventOf(side, deviceId, "device.steered"),
      }),
    ),
  },
  clearBlocks: {
    drafts: drafted(deviceIds, (deviceId, side) => ({
      deviceId,
      event: eventOf(side, deviceId, "device.update_blocks_cleared"),
    })),
  },
  prune: {
    drafts: drafted(
      fc.record({ ago: fc.constantFrom(hourMs, 8 * hourMs), limit: limits }),
      ({ ago, limit }, { now }) => ({ movedBefore: now - ago, limit }),
    ),
    drains: (count) => count,
  },
};

export const otaEventRecipes: RecipesOf<OtaEventStore> = {
  list: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        ago: fc.constantFrom(null, hourMs),
        before: fc.option(part, { freq: 1 }),
        limit: limits,
      }),
      ({ deviceId, ago, before, limit }, side) => ({
        deviceId,
        from: ago === null ? 0 : side.now - ago,
        before: before === null ? Number.MAX_SAFE_INTEGER : pick(side, "otaEvent", before),
        limit,
      }),
    ),
    ids: { id: "otaEvent" },
  },
  prune: {
    drafts: drafted(
      fc.record({ ago: fc.constantFrom(hourMs, 8 * hourMs), limit: limits }),
      ({ ago, limit }, { now }) => ({ createdBefore: now - ago, limit }),
    ),
    drains: (count) => count,
  },
};

/** The possible next statuses of a release. A withdrawn release stays withdrawn. */
const nextStatuses: Readonly<Record<ReleaseStatus, readonly ReleaseStatus[]>> = {
  draft: ["active", "active", "withdrawn"],
  active: ["paused", "active", "active", "withdrawn"],
  paused: ["active", "withdrawn"],
  withdrawn: ["withdrawn"],
};

const ids = { id: "release" } as const;

export const releaseRecipes: RecipesOf<ReleaseStore> = {
  create: {
    drafts: drafted(
      fc.record({
        version: versions,
        targetHardware: hardware,
        rolloutChannel: channels,
        notes: freeText,
        minVersion: fc.option(versions),
        externalUrl: fc.constantFrom(null, "https://cdn.example.com/image"),
        sha256: fc.constantFrom("a".repeat(64), "b".repeat(64)),
      }),
      (release, side) => ({
        release: {
          ...release,
          releasedAt: "2026-01-31T12:00:00Z",
          size: 1_024,
          signature: "c2ln",
          signingKeyId: "key-1",
          signatureAlgorithm: "ed25519",
          rolloutPercent: 100,
          mandatory: false,
          status: "draft",
          hasImage: false,
          haltedAt: null,
          createdAt: side.now,
          activatedAt: null,
        } satisfies Omit<Release, "id" | "revision">,
        event: eventOf(side, "", "release.created", { version: release.version }),
      }),
    ),
    ids,
  },
  find: { drafts: drafted(part, (share, side) => pick(side, "release", share)), ids },
  list: {
    drafts: drafted(
      fc.record({
        targetHardware: fc.option(hardware),
        rolloutChannel: fc.option(channels),
        statuses: fc.subarray<ReleaseStatus>(["draft", "active", "paused", "withdrawn"]),
        before: fc.option(part, { freq: 1 }),
        limit: limits,
      }),
      ({ before, ...input }, side) => ({
        ...input,
        before: before === null ? Number.MAX_SAFE_INTEGER : pick(side, "release", before),
      }),
    ),
    ids,
  },
  offerable: { drafts: drafted(fc.constant(undefined), () => undefined), ids },
  change: {
    drafts: drafted(
      fc.record({
        release: part,
        stale: staleness,
        status: fc.option(part, { freq: 6 }),
        percent: fc.option(fc.constantFrom(0, 10, 100)),
        channel: fc.option(channels),
        hasImage: fc.boolean(),
      }),
      ({ release: share, stale, status, percent, channel, hasImage }, side) => {
        const model = at(side.known("release"), share) ?? 0;
        const release = side.state.releases.get(model);
        const next =
          status === null || release === undefined
            ? undefined
            : at(nextStatuses[release.status], status);
        return {
          id: side.number("release", model),
          expectedRevision: (release?.revision ?? 1) + stale,
          changes: {
            ...(next !== undefined && { status: next }),
            ...(next === "active" && {
              activatedAt: release?.activatedAt ?? side.now,
              haltedAt: null,
            }),
            ...(percent !== null && { rolloutPercent: percent }),
            ...(channel !== null && { rolloutChannel: channel }),
            ...(hasImage && { hasImage }),
          },
          event: eventOf(side, "", "release.changed"),
        };
      },
    ),
    ids,
  },
};
