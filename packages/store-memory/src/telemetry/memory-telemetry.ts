import {
  type AppendInput,
  type AppendVerdict,
  bucketStart,
  createBucketAggregator,
  createSelector,
  digestContent,
  flattenLeaves,
  flattenRecord,
  fromFollowCursor,
  hourMs,
  type JsonObject,
  type OtaReport,
  type RecordPlace,
  type RecordRange,
  type ReportOutcome,
  type StoredTelemetryRecord,
  type TelemetryRecord,
  type TelemetryStore,
  toFollowCursor,
} from "@device-gateway/core/store";
import { latestOf } from "../device/memory-devices.js";
import {
  type MemoryState,
  type SentTelemetry,
  type Transitions,
  writeChange,
} from "../memory-state.js";
import { applyReport } from "../ota/memory-updates.js";

/** A page ends after this many characters of JSON. */
const pageLength = 2_000_000;

export function createMemoryTelemetry(state: MemoryState): Transitions<TelemetryStore> {
  return {
    append(input) {
      const { deviceId, receivedAt, once } = input;
      if (!state.devices.has(deviceId)) return { kind: "unknown_device" };
      const sent = telemetryOf(state, deviceId);
      deleteExpiredKeys(sent, receivedAt);
      const usedKey = once && sent.usedKeys.get(once.key);
      if (once && usedKey) {
        if (usedKey.fingerprint !== once.fingerprint) return { kind: "key_reused" };
        return { kind: "repeated", verdicts: usedKey.verdicts, memo: usedKey.memo };
      }
      const verdicts = input.records.map((record) => store(state, sent, input, record));
      if (once) sent.usedKeys.set(once.key, { ...once, verdicts });
      recordTimes(state, input);
      const statuses = input.otaReports?.filter(({ record }) => verdicts[record] === "stored");
      const reports = statuses?.flatMap((status) => reportStatus(state, deviceId, status));
      return { kind: "appended", verdicts, ...(reports && { reports }) };
    },

    latest: (devices) =>
      devices.map(({ deviceId, from }) => {
        const range = { deviceId, from, to: Number.POSITIVE_INFINITY, receivedFrom: from };
        return recordsIn(state, range).at(-1) ?? null;
      }),

    count: ({ atMost, ...range }) => Math.min(atMost, recordsIn(state, range).length),

    leaves({ after, limit, namesOnly, ...range }) {
      const isBeyond = (record: RecordPlace) => after === null || compareByTime(record, after) > 0;
      const page = takePage(recordsIn(state, range).filter(isBeyond), limit);
      return page.map(({ at, position, value }) => {
        const leaves = flattenLeaves(value);
        const values = namesOnly ? [] : leaves.map(([, leaf]) => leaf);
        return { at, position, names: leaves.map(([name]) => name), values };
      });
    },

    samples: ({ order, after, limit, ...range }) => {
      const ordered = recordsIn(state, range);
      if (order === "newest_first") ordered.reverse();
      const direction = order === "newest_first" ? -1 : 1;
      const isBeyond = (record: RecordPlace) =>
        after === null || direction * compareByTime(record, after) > 0;
      return takePage(ordered.filter(isBeyond), limit);
    },

    metrics: ({ selection, before, limit, ...range }) => {
      const isWanted = createSelector(selection);
      const beyond = recordsIn(state, range)
        .reverse()
        .filter((record) => before === null || compareByTime(record, before) < 0);
      const samples = takePage(beyond, limit).map(({ at, position, value }) => {
        const metrics = flattenRecord(value).filter(({ name }) => isWanted(name));
        const names = metrics.map(({ name }) => name);
        return { at, position, names, values: metrics.map((metric) => metric.value) };
      });
      const last = samples.at(-1);
      const hasMore = last !== undefined && beyond.length > samples.length;
      return { samples, next: hasMore ? { at: last.at, position: last.position } : null };
    },

    aggregate: ({ intervalMs, selection, ...range }) => {
      const aggregator = createBucketAggregator(intervalMs);
      const isWanted = createSelector(selection);
      const pruned = intervalMs % hourMs === 0 ? prunedIn(state, range) : [];
      for (const { at, value } of [...pruned, ...recordsIn(state, range)].sort(compareByTime)) {
        const metrics = flattenRecord(value).filter(({ name }) => isWanted(name));
        const names = metrics.map(({ name }) => name);
        aggregator.addSample(
          at,
          names,
          metrics.map((metric) => metric.value),
        );
      }
      return aggregator.buckets();
    },

    // The store keeps no roll-ups. It computes every aggregate from the records.
    pruneRollUps({ before, limit }) {
      let dropped = 0;
      for (const sent of state.telemetry.values()) {
        const kept = sent.pruned.filter(
          ({ at }) => bucketStart(at, hourMs) >= before || ++dropped > limit,
        );
        sent.pruned.splice(0, sent.pruned.length, ...kept);
      }
      return Math.min(dropped, limit);
    },

    rollUp: () => ({ built: 0, more: false }),

    reopenHours({ deviceId, from, to }) {
      const { records = [], pruned = [] } = state.telemetry.get(deviceId) ?? {};
      const hoursOf = (some: readonly StoredTelemetryRecord[]) =>
        some
          .map(({ at }) => bucketStart(at, hourMs))
          .filter((hour) => hour + hourMs > from && hour < to);
      const kept = new Set(hoursOf(pruned));
      const reopened = new Set(hoursOf(records).filter((hour) => !kept.has(hour)));
      return { reopened: reopened.size, kept: kept.size };
    },

    lastPositions: (deviceIds) => deviceIds.map(() => state.lastPosition),

    prune({ receivedBefore, limit }) {
      const all = [...state.telemetry.values()].flatMap(({ records }) => records);
      const old = all
        .filter(({ receivedAt }) => receivedAt < receivedBefore)
        .sort((a, b) => a.position - b.position)
        .slice(0, limit);
      const positions = new Set(old.map(({ position }) => position));
      for (const { records, pruned, identities } of state.telemetry.values()) {
        for (const [identity, position] of identities) {
          if (positions.has(position)) identities.delete(identity);
        }
        pruned.push(...records.filter(({ position }) => positions.has(position)));
        const kept = records.filter(({ position }) => !positions.has(position));
        records.splice(0, records.length, ...kept);
      }
      return old.length;
    },

    read({ deviceId, after, limit }) {
      const { records = [] } = state.telemetry.get(deviceId) ?? {};
      return takePage(
        records.filter(({ position }) => position > after),
        limit,
      );
    },

    follow({ after, limit }) {
      const last = fromFollowCursor(after);
      const records = [...state.telemetry]
        .flatMap(([deviceId, sent]) => {
          const targetHardware = state.devices.get(deviceId)?.profile.targetHardware ?? "";
          const unread = sent.records.slice(countUpTo(sent.records, last));
          return unread.map((record) => ({ deviceId, targetHardware, ...record }));
        })
        .sort((a, b) => a.position - b.position);
      const page = takePage(records, limit);
      return { records: page, next: toFollowCursor(page.at(-1)?.position ?? last) };
    },

    end: () => toFollowCursor(state.lastPosition),
  };
}

/** Returns the first records: at most `limit`, and fewer if they are large. */
function takePage<Item extends StoredTelemetryRecord>(
  records: readonly Item[],
  limit: number,
): Item[] {
  const page: Item[] = [];
  let length = 0;
  for (const record of records) {
    if (page.length >= limit || length >= pageLength) break;
    page.push(record);
    length += JSON.stringify(record.value).length;
  }
  return page;
}

/** Returns how many of the records, which ascend by position, have a position up to `last`. */
function countUpTo(records: readonly StoredTelemetryRecord[], last: number): number {
  const newer = records.findLastIndex(({ position }) => position <= last);
  return newer + 1;
}

const compareByTime = (a: RecordPlace, b: RecordPlace) => a.at - b.at || a.position - b.position;

function recordsIn(
  state: MemoryState,
  { deviceId, from, to, receivedFrom }: RecordRange,
): StoredTelemetryRecord[] {
  return (state.telemetry.get(deviceId)?.records ?? [])
    .filter(({ at, receivedAt }) => at >= from && at < to && receivedAt >= receivedFrom)
    .sort(compareByTime);
}

/** Returns pruned records in the range. Like roll-ups, they are visible only in hours that the range contains whole. */
function prunedIn(
  state: MemoryState,
  { deviceId, from, to, receivedFrom }: RecordRange,
): StoredTelemetryRecord[] {
  return (state.telemetry.get(deviceId)?.pruned ?? []).filter(({ at, receivedAt }) => {
    const hour = bucketStart(at, hourMs);
    return hour >= from && hour + hourMs <= to && receivedAt >= receivedFrom;
  });
}

function telemetryOf(state: MemoryState, deviceId: string): SentTelemetry {
  const existing = state.telemetry.get(deviceId);
  if (existing) return existing;
  const empty = { records: [], pruned: [], identities: new Map(), usedKeys: new Map() };
  state.telemetry.set(deviceId, empty);
  return empty;
}

function store(
  state: MemoryState,
  { records, identities }: SentTelemetry,
  { receivedAt }: AppendInput,
  { at, seq, isTimed, value }: TelemetryRecord,
): AppendVerdict {
  const identity = isTimed ? JSON.stringify([at, seq, digestContent(value)]) : undefined;
  if (identity !== undefined && identities.has(identity)) return "duplicate";
  state.lastPosition += 1;
  if (identity !== undefined) identities.set(identity, state.lastPosition);
  // JSON writes -0 as 0, and a number that is not finite as null.
  const kept = JSON.parse(JSON.stringify(value)) as JsonObject;
  records.push({ position: state.lastPosition, at, receivedAt, seq, value: kept });
  return "stored";
}

function recordTimes(state: MemoryState, { deviceId, receivedAt, records }: AppendInput): void {
  const device = state.devices.get(deviceId);
  if (device === undefined) return;
  const { lastSeenAt, lastTelemetryAt } = device;
  state.devices.set(deviceId, {
    ...device,
    lastSeenAt: latestOf(lastSeenAt, receivedAt),
    lastTelemetryAt: records.length > 0 ? latestOf(lastTelemetryAt, receivedAt) : lastTelemetryAt,
  });
}

function reportStatus(
  state: MemoryState,
  deviceId: string,
  { fingerprint, event, rules }: OtaReport,
): readonly ReportOutcome[] {
  const device = state.devices.get(deviceId);
  if (device === undefined || device.otaFingerprint === fingerprint) return [];
  state.devices.set(deviceId, { ...device, otaFingerprint: fingerprint });
  writeChange(state, deviceId, event.createdAt);
  const report = { event, releaseId: null, servesImage: false, fingerprint: null };
  return [applyReport(state, { report, rules })];
}

function deleteExpiredKeys({ usedKeys }: SentTelemetry, now: number): void {
  for (const [key, { expiresAt }] of usedKeys) {
    if (expiresAt < now) usedKeys.delete(key);
  }
}
