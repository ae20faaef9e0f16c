import {
  type AppendInput,
  type AppendOutcome,
  coalesce,
  createPacer,
  createSampleReader,
  createSelector,
  nextTurn,
  type RecordPlace,
  type RecordRow,
  readLeaves,
  type StoredTelemetryRecord,
  type TelemetryStore,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { prepareDeviceNumbers } from "../device/device-numbers.js";
import { prepareTelemetrySenders } from "../device/telemetry-senders.js";
import { prepareOtaRecorder } from "../ota/ota-event-store.js";
import { prepareDuplicateSearch } from "./append/duplicate-search.js";
import { prepareRecordWriter } from "./append/record-writer.js";
import { prepareUsedKeys } from "./append/used-keys.js";
import { createRollup } from "./hours/telemetry-rollup.js";
import { prepareRecordRows, toRecord } from "./record-rows.js";
import { prepareRetention } from "./retention/telemetry-retention.js";
import type { RowPage } from "./row-page.js";
import { prepareShapeRows } from "./shapes/shape-rows.js";
import { createTelemetryFollower } from "./telemetry-follower.js";
import { createAggregation } from "./telemetry-history.js";

type LatestQuery = Parameters<TelemetryStore["latest"]>[0][number];

/** Records per commit, few enough not to delay other requests, and requests that may wait. */
const appendBounds = { batchWeight: 500, queueSize: 4_096 };
/**
 * Maximum number of steps in one call of `prune`, not counting those that large records cut short. The next call
 * continues.
 */
const pruneSteps = 16;

function placeOf(rows: readonly RecordRow[]): RecordPlace | null {
  const last = rows.at(-1);
  return last === undefined ? null : { at: last.at, position: last.position };
}

/**
 * Stores telemetry. Records lie in order of arrival, without their names
 * (docs/decisions/0009-telemetry-layout.md).
 */
export function createTelemetryStore(
  connection: Connection,
  deleteErasedData: () => Promise<void>,
  giveFreePagesBack: () => Promise<void>,
): TelemetryStore {
  const { database, read, runSteps, readStep, writeStep } = connection;
  const numbers = prepareDeviceNumbers(database);
  const keys = prepareUsedKeys(database);
  const shapes = prepareShapeRows(database);
  const records = prepareRecordRows(database);
  const duplicates = prepareDuplicateSearch(database, shapes);
  const retention = prepareRetention(database, records, duplicates);
  const recordOta = prepareOtaRecorder(database);
  const senders = prepareTelemetrySenders(database);
  const writer = prepareRecordWriter(database, shapes, duplicates);
  const toRecords = ({ rows }: RowPage<RecordRow>) => rows.map((row) => toRecord(shapes, row));

  /** Reads from a device. Returns `nothing` if the device has never sent telemetry. */
  const readOf = <Answer>(deviceId: string, nothing: Answer, work: (device: number) => Answer) =>
    read(() => {
      const device = numbers.find(deviceId);
      return device === undefined ? nothing : work(device);
    });

  /** Reads in order of arrival. It searches in steps, because the next record may be far away. */
  async function readInOrder(
    deviceId: string,
    after: number,
    limit: number,
  ): Promise<readonly StoredTelemetryRecord[]> {
    for (let place = after; ; ) {
      const from = place;
      const { found, next } = await readStep(() => {
        const device = numbers.find(deviceId);
        if (device === undefined) return { found: [], next: null };
        const page = records.inOrder(device, from, limit);
        return { found: toRecords(page), next: page.next };
      });
      if (found.length > 0 || next === null) return found;
      place = next;
      await nextTurn();
    }
  }

  /** Deletes expired records. Passes over others in steps, because there may be many. */
  async function pruneRecords(receivedBefore: number, limit: number): Promise<number> {
    let deleted = 0;
    for (let step = 0; step < pruneSteps; ) {
      const most = limit - deleted;
      const pruned = await writeStep(() => retention.pruneRecords(receivedBefore, most));
      deleted += pruned.deleted;
      if (deleted >= limit) break;
      // After a cut step, the caller must not learn that fewer records than `limit` are left.
      if (!pruned.isCut) {
        if (!(await readStep(() => retention.passOver(receivedBefore)))) break;
        step += 1;
      }
      await nextTurn();
    }
    return deleted;
  }

  /** Deletes roll-ups in steps, because they may be large. */
  async function pruneHours(before: number, limit: number): Promise<number> {
    for (let sum = 0; ; ) {
      const most = limit - sum;
      const { deleted, isCut } = await writeStep(() => retention.pruneHours(before, most));
      sum += deleted;
      if (!isCut) return sum;
      await nextTurn();
    }
  }

  const latestOf = ({ deviceId, from }: LatestQuery): StoredTelemetryRecord | null => {
    const device = numbers.find(deviceId);
    const row = device && records.latest(device, from);
    return row ? toRecord(shapes, row) : null;
  };

  /** Reads the latest records of a list in steps, because each record may be large. */
  async function readLatest(devices: readonly LatestQuery[]) {
    const found: (StoredTelemetryRecord | null)[] = [];
    const pacer = createPacer();
    while (found.length < devices.length) {
      if (pacer.isDue()) await pacer.turn();
      await readStep(() => {
        for (const query of devices.slice(found.length)) {
          found.push(latestOf(query));
          if (pacer.isDue()) break;
        }
      });
    }
    return found;
  }

  const answerEarlier = ({ deviceId, receivedAt, once }: AppendInput) => {
    const device = once === null ? undefined : numbers.find(deviceId);
    return once && device !== undefined ? keys.answerEarlier(device, receivedAt, once) : undefined;
  };

  const appendOne = (input: AppendInput): AppendOutcome => {
    const earlier = answerEarlier(input);
    if (earlier) return earlier;
    const { deviceId, receivedAt, records, once } = input;
    const recordSender = records.length > 0 ? senders.recordRecords : senders.recordContact;
    const device = recordSender(deviceId, receivedAt);
    if (device === undefined) return { kind: "unknown_device" };
    const verdicts = records.map((record) => writer.write(device, receivedAt, record));
    if (once) keys.remember(device, once, verdicts);
    const otaReports = input.otaReports?.filter(({ record }) => verdicts[record] === "stored");
    const reports = otaReports?.flatMap((each) => recordOta(deviceId, each));
    return { kind: "appended", verdicts, ...(reports && { reports }) };
  };

  const commit = async (inputs: readonly AppendInput[]): Promise<AppendOutcome[]> => {
    try {
      return await writeStep(() => {
        shapes.begin();
        senders.begin();
        writer.begin(records.lastPosition());
        return inputs.map(appendOne);
      });
    } catch (error) {
      shapes.clearCache();
      throw error;
    }
  };

  const appendTogether = coalesce({
    commit,
    weigh: ({ records }: AppendInput) => 1 + records.length,
    senderOf: ({ deviceId }) => deviceId,
    ...appendBounds,
    // Everything that has arrived on the sockets goes into one commit, which blocks the event loop.
    defer: setImmediate,
  });

  return {
    append: (input) => runSteps(() => appendTogether(input)),

    count: ({ atMost, ...range }) =>
      readOf(range.deviceId, 0, (device) => records.count({ ...range, device }, atMost)),
    samples: ({ order, after, limit, ...range }) =>
      readOf(range.deviceId, [], (device) =>
        toRecords(
          order === "oldest_first"
            ? records.oldestFirst({ ...range, device }, after, limit)
            : records.newestFirst({ ...range, device }, after, limit),
        ),
      ),
    leaves: ({ after, limit, namesOnly, ...range }) =>
      readOf(range.deviceId, [], (device) => {
        const readPage = namesOnly ? records.shapesOldestFirst : records.oldestFirst;
        const { rows } = readPage({ ...range, device }, after, limit);
        return rows.map((row) => readLeaves(row, shapes.recordShape, namesOnly));
      }),
    metrics: ({ selection, before, limit, ...range }) =>
      readOf(range.deviceId, { samples: [], next: null }, (device) => {
        const page = records.newestFirst({ ...range, device }, before, limit + 1);
        const rows = page.rows.slice(0, limit);
        const toSample = createSampleReader(shapes.recordShape, createSelector(selection));
        const hasMore = page.isCut || page.rows.length > limit;
        return { samples: rows.map(toSample), next: hasMore ? placeOf(rows) : null };
      }),
    aggregate: createAggregation(connection, shapes),
    ...createRollup(connection, shapes),
    ...createTelemetryFollower(connection, shapes, records),
    lastPositions: (deviceIds) =>
      read(() => {
        const position = records.lastPosition();
        return deviceIds.map(() => position);
      }),
    pruneRollUps: ({ before, limit }) => runSteps(() => pruneHours(before, limit)),
    prune: async ({ receivedBefore, limit }) => {
      // Deletes data that a crash left undeleted. Retention does not wait for it.
      void deleteErasedData();
      const deleted = await runSteps(() => pruneRecords(receivedBefore, limit));
      if (deleted < limit) void giveFreePagesBack();
      return deleted;
    },

    latest: (devices) => runSteps(() => readLatest(devices)),

    read: ({ deviceId, after, limit }) => runSteps(() => readInOrder(deviceId, after, limit)),
  };
}
