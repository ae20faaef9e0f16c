import {
  type JsonObject,
  type TelemetryRecord,
  type TelemetryStore,
  toFollowCursor,
} from "@device-gateway/core/store";
import { fieldRecord } from "@device-gateway/testing";
import fc from "fast-check";
import { awkwardJson } from "../../../packages/testing/src/conformance/samples/awkward-values.js";
import { deviceIds, hourMs, json, limits, minuteMs, part, someDevices } from "./pools.js";
import { drafted, type RecipesOf, type Side } from "./recipe.js";
import { otaReport } from "./update-recipes.js";

const dayMs = 24 * hourMs;
/** How late a record may arrive, and how long it is kept. As in production, the first is shorter. */
const lateMs = 5 * hourMs;
const keptMs = 8 * hourMs;

const numbers = fc.constantFrom(0, 1, -1, 12.5, 0.1, -273.15, 3.3e-5, 1_000_000.125);
const values: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ voltage: numbers }),
  fc.record({ voltage: numbers, "a.b": numbers, on: fc.boolean(), bms: fc.record({ t: numbers }) }),
  fc.record({ voltage: fc.constantFrom("12", null), cells: fc.array(numbers, { maxLength: 3 }) }),
  fc.constant(awkwardJson),
  fc.constant(fieldRecord as JsonObject),
  json,
);
const drafts = fc.record({
  ago: fc.nat(lateMs / minuteMs),
  seq: fc.constantFrom(null, null, 1, Number.MAX_SAFE_INTEGER),
  isTimed: fc.constantFrom(true, true, false),
  value: values,
  ota: fc.option(otaReport, { freq: 3 }),
});
type RecordDraft = typeof drafts extends fc.Arbitrary<infer Draft> ? Draft : never;

/** Rounds times to minutes, so that records have equal times. */
const toRecord = (
  { ago, ota: _, ...record }: RecordDraft,
  receivedAt: number,
): TelemetryRecord => ({
  ...record,
  at: record.isTimed ? Math.floor(receivedAt / minuteMs - ago) * minuteMs : receivedAt,
});

const once = fc.record({
  key: fc.constantFrom("key-1", "key-2"),
  fingerprint: fc.constantFrom("body-1", "body-1", "body-2"),
  ttlMs: fc.constantFrom(hourMs, dayMs),
  memo: fc.constantFrom("", "memo"),
});

const ranges = fc.record({
  deviceId: deviceIds,
  hours: fc.constantFrom(1, 2, 6, 48),
  endsAgo: fc.constantFrom(-1, 0, 1, minuteMs + 1, hourMs, 7 * hourMs),
  aligned: fc.boolean(),
  receivedAgo: fc.constantFrom(null, null, minuteMs, hourMs),
});
type RangeDraft = typeof ranges extends fc.Arbitrary<infer Draft> ? Draft : never;

const toRange = ({ deviceId, hours, endsAgo, aligned, receivedAgo }: RangeDraft, { now }: Side) => {
  const end = now - endsAgo;
  const to = aligned ? Math.ceil(end / hourMs) * hourMs : end;
  return {
    deviceId,
    from: to - hours * hourMs,
    to,
    receivedFrom: receivedAgo === null ? 0 : now - receivedAgo,
  };
};

/** Returns the place of one of the device's records, by its share of them. */
function placeIn(deviceId: string, share: number | null, side: Side) {
  if (share === null) return null;
  const known = new Set(side.known("position"));
  const { records = [] } = side.state.telemetry.get(deviceId) ?? {};
  const seen = records.filter((record) => known.has(record.position));
  const place = seen[Math.floor(share * (seen.length - 1))];
  return place ? { at: place.at, position: side.number("position", place.position) } : null;
}

const selections = fc.constantFrom(
  { names: [], prefixes: [], topLevel: true },
  { names: ["voltage", "a\\.b"], prefixes: [], topLevel: false },
  { names: ["on"], prefixes: ["bms.", "cells."], topLevel: false },
  { names: [], prefixes: [""], topLevel: false },
);

const position = { position: "position" } as const;

export const telemetryRecipes: RecipesOf<TelemetryStore> = {
  append: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        ago: fc.constantFrom(0, 0, 1_000),
        batch: fc.array(drafts, { maxLength: 5 }),
        isDoubled: fc.boolean(),
        once: fc.option(once, { freq: 1 }),
        mayHaveNews: fc.boolean(),
      }),
      ({ deviceId, ago, batch, isDoubled, once: given, mayHaveNews }, side) => {
        const records = isDoubled ? [...batch, ...batch] : batch;
        const receivedAt = given === null ? side.now - ago : side.now;
        const otaReports = records.flatMap(({ ota }, record) =>
          ota === null ? [] : [ota.toInput(side, deviceId, record)],
        );
        return {
          deviceId,
          receivedAt,
          records: records.map((record) => toRecord(record, receivedAt)),
          once: given && {
            key: given.key,
            fingerprint: given.fingerprint,
            memo: given.memo,
            expiresAt: receivedAt + given.ttlMs,
          },
          ...(mayHaveNews && { otaReports }),
        };
      },
    ),
  },
  latest: {
    drafts: drafted(
      fc.array(fc.record({ deviceId: deviceIds, ago: fc.constantFrom(null, hourMs) }), {
        maxLength: 4,
      }),
      (devices, { now }) =>
        devices.map(({ deviceId, ago }) => ({ deviceId, from: ago === null ? 0 : now - ago })),
    ),
    ids: position,
  },
  count: {
    drafts: drafted(fc.record({ range: ranges, atMost: limits }), ({ range, atMost }, side) => ({
      ...toRange(range, side),
      atMost,
    })),
  },
  samples: {
    drafts: drafted(
      fc.record({
        range: ranges,
        order: fc.constantFrom("oldest_first" as const, "newest_first" as const),
        after: fc.option(part, { freq: 1 }),
        limit: limits,
      }),
      ({ range, order, after, limit }, side) => ({
        ...toRange(range, side),
        order,
        limit,
        after: placeIn(range.deviceId, after, side),
      }),
    ),
    ids: position,
  },
  leaves: {
    drafts: drafted(
      fc.record({
        range: ranges,
        after: fc.option(part, { freq: 1 }),
        limit: limits,
        namesOnly: fc.boolean(),
      }),
      ({ range, after, limit, namesOnly }, side) => ({
        ...toRange(range, side),
        after: placeIn(range.deviceId, after, side),
        limit,
        namesOnly,
      }),
    ),
    ids: position,
  },
  metrics: {
    drafts: drafted(
      fc.record({
        range: ranges,
        before: fc.option(part, { freq: 1 }),
        limit: limits,
        selection: selections,
      }),
      ({ range, before, limit, selection }, side) => ({
        ...toRange(range, side),
        limit,
        selection,
        before: placeIn(range.deviceId, before, side),
      }),
    ),
    ids: position,
  },
  aggregate: {
    drafts: drafted(
      fc.record({
        range: ranges,
        intervalMs: fc.constantFrom(minuteMs, 15 * minuteMs, hourMs, 3 * hourMs, dayMs),
        selection: selections,
      }),
      ({ range, ...input }, side) => ({ ...toRange(range, side), ...input }),
    ),
    promised: sortBuckets,
  },
  rollUp: {
    drafts: drafted(
      fc.record({ ago: fc.constantFrom(0, minuteMs, 2 * hourMs), limit: limits }),
      ({ ago, limit }, { now }) => ({ before: now - ago, limit }),
    ),
    // A roll-up changes no answer, and the model does nothing.
    promised: () => null,
  },
  reopenHours: {
    drafts: drafted(ranges, (range, side) => {
      const { deviceId, from, to } = toRange(range, side);
      return { deviceId, from, to };
    }),
    // Stores decide by time which hours may lack records, the model by the records. Only the sum is the same.
    promised: ({ reopened, kept }) => reopened + kept,
  },
  lastPositions: {
    drafts: drafted(fc.constant(undefined), () => someDevices),
    // The last position depends on the order of simultaneous calls. `takeSnapshot` checks that it covers all records.
    promised: (positions) => positions.every(Number.isSafeInteger),
  },
  prune: {
    drafts: drafted(
      fc.record({ ago: fc.constantFrom(keptMs, 2 * keptMs), limit: limits }),
      ({ ago, limit }, { now }) => ({ receivedBefore: now - ago, limit }),
    ),
    drains: (count) => count,
    first: async ({ telemetry }, { receivedBefore }) => {
      const before = receivedBefore + keptMs;
      while ((await telemetry.rollUp({ before, limit: 500 })).more);
    },
  },
  pruneRollUps: {
    drafts: drafted(
      fc.record({ ago: fc.constantFrom(dayMs, 2 * dayMs), limit: limits }),
      ({ ago, limit }, { now }) => ({ before: now - ago, limit }),
    ),
    drains: (count) => count,
    // The model deletes records, a store deletes hours.
    promised: () => null,
    first: async ({ telemetry }, { before }) => {
      while ((await telemetry.rollUp({ before: before + dayMs, limit: 500 })).more);
      const receivedBefore = before + keptMs;
      while ((await telemetry.prune({ receivedBefore, limit: 500 })) > 0);
    },
  },
  read: {
    drafts: drafted(
      fc.record({ deviceId: deviceIds, part, limit: limits }),
      ({ deviceId, part: share, limit }, side) => {
        const known = side.known("position");
        const after = known[Math.floor(share * (known.length - 1))];
        return { deviceId, after: after ? side.number("position", after) : 0, limit };
      },
    ),
    ids: position,
  },
  follow: {
    drafts: drafted(
      fc.record({ part: fc.option(part), limit: limits }),
      ({ part: share, limit }, side) => {
        const known = share === null ? [] : side.known("position");
        const after = known[Math.floor((share ?? 0) * (known.length - 1))];
        return { after: after ? toFollowCursor(side.number("position", after)) : "", limit };
      },
    ),
    // Where a page ends is open, and so is the order of devices after simultaneous calls. `takeSnapshot` reads all pages.
    promised: ({ records }) =>
      records.every(({ position }, n) => position > (records[n - 1]?.position ?? 0)),
  },
  end: {
    drafts: drafted(fc.constant(undefined), () => undefined),
    promised: (cursor) => typeof cursor,
  },
};

/** Sorts buckets by start and name, because the order within one start is open. Drops `rest`, whose form may differ. */
export function sortBuckets(
  buckets: Awaited<ReturnType<TelemetryStore["aggregate"]>>,
): readonly object[] {
  return [...buckets]
    .sort((a, b) => a.start - b.start || (a.name < b.name ? -1 : 1))
    .map(({ rest: _, ...bucket }) => bucket);
}
