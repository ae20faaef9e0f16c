import {
  type AppendInput,
  type AppendOutcome,
  type AppendVerdict,
  coalesce,
  createSampleReader,
  createSelector,
  type OtaReport,
  type RecordRow,
  type ReportOutcome,
  type RowContent,
  readLeaves,
  type TelemetryStore,
  toFollowCursor,
} from "@device-gateway/core/store";
import { type Connection, callDeadline } from "../database/connection.js";
import type { Session } from "../database/statement.js";
import { withTimeout } from "../database/with-timeout.js";
import { findNumbers, lockToAppendTo } from "../device/device-numbers.js";
import { recordOtaReport } from "../ota/ota-event-store.js";
import { searchDuplicates } from "./duplicate-search.js";
import {
  afterPosition,
  countRows,
  latestOf,
  newestFirst,
  oldestFirst,
  shapesOldestFirst,
  toRecord,
  toRecords,
} from "./record-rows.js";
import { type PackedRecord, type Sighting, writeRecords } from "./record-writer.js";
import { createShapeRows, MissingShapeError, shapeOf } from "./shape-rows.js";
import { createShapeUses, type UseNotes } from "./shape-uses.js";
import { followRecords } from "./telemetry-follower.js";
import { createAggregation } from "./telemetry-history.js";
import { createTelemetryPartitions } from "./telemetry-partitions.js";
import { createRetention } from "./telemetry-retention.js";
import { createRollup, lastPosition } from "./telemetry-rollup.js";
import { lookUpKeys } from "./used-keys.js";

/** Records per commit, and requests that may wait. */
const appendBounds = { batchWeight: 2_000, queueSize: 4_096 };
/** An OTA status that changed takes statements of its own, and as long as this many records. */
const statusWeight = 50;

function weigh({ records, otaStatuses = [] }: AppendInput): number {
  return 1 + records.length + statusWeight * withoutRepeats(otaStatuses).length;
}

/** Leaves out each status that repeats the one before it: reporting it would change nothing. */
const withoutRepeats = (reports: readonly OtaReport[]) =>
  reports.filter(({ fingerprint }, n) => fingerprint !== reports[n - 1]?.fingerprint);

/**
 * How long an append may take in total, in milliseconds: it waits for a running commit, then for
 * its own.
 */
const appendTimeoutMs = 1_500;

/** The outcomes of a batch, and the shape uses to cache once it is committed. */
interface Appended {
  readonly outcomes: readonly AppendOutcome[];
  readonly notes: UseNotes;
}

/** Attempts if another process deleted something that was cached. */
const attempts = 3;

/**
 * Returns whether the error means that another process deleted a shape or a partition that was
 * cached or being read.
 */
const isStale = (error: unknown): boolean =>
  error instanceof MissingShapeError ||
  (error instanceof Error && /^(23503|23514)$/.test((error as { code?: string }).code ?? ""));

/**
 * Stores telemetry. Records lie in daily partitions, without their names
 * (docs/decisions/0014-postgres.md).
 */
export function createTelemetryStore(
  connection: Connection,
  deleteErasedData: () => Promise<void>,
): TelemetryStore {
  const { read, runSteps, readStep, writeStep } = connection;
  const uses = createShapeUses();
  const shapes = createShapeRows(uses);
  const partitions = createTelemetryPartitions();
  const retention = createRetention(connection);
  const rollup = createRollup(connection, shapes, uses, partitions);
  const aggregate = createAggregation(connection, shapes);

  /**
   * Runs `work`. If another process deleted something that was cached, clears the caches and
   * repeats it.
   */
  async function withFreshCaches<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isStale(error) || attempt === attempts) throw error;
        shapes.clearCache();
        uses.clearCache();
        partitions.clearCache();
      }
    }
  }

  /** Reads from a device. Returns `nothing` if the device is unknown. */
  const readOf = <Answer>(
    deviceId: string,
    nothing: Answer,
    work: (session: Session, device: number) => Promise<Answer>,
  ) =>
    withFreshCaches(() =>
      read(async (session) => {
        const device = (await findNumbers(session, [deviceId])).get(deviceId);
        return device === undefined ? nothing : work(session, device);
      }),
    );

  async function append(
    session: Session,
    inputs: readonly AppendInput[],
    contents: readonly (readonly RowContent[])[],
  ): Promise<Appended> {
    const deviceIds = new Set(inputs.map((input) => input.deviceId));
    const devices = await lockToAppendTo(session, [...deviceIds]);
    const notes = uses.begin();
    await notes.know(session, devices.values());
    const known = inputs.flatMap((input) => {
      const device = devices.get(input.deviceId)?.number;
      return device === undefined ? [] : { ...input, device };
    });
    const keys = await lookUpKeys(session, known);
    const duplicates = await searchDuplicates(
      session,
      shapes,
      known.flatMap(({ device, records }) => records.map((record) => ({ device, record }))),
    );
    const stored: PackedRecord[] = [];
    const sightings: Sighting[] = [];
    const pendingReports: {
      readonly otaReports: readonly OtaReport[];
      readonly reports: ReportOutcome[];
    }[] = [];
    const outcomes = inputs.map((input, place): AppendOutcome => {
      const { deviceId, receivedAt, records } = input;
      const device = devices.get(deviceId)?.number;
      if (device === undefined) return { kind: "unknown_device" };
      const keyed = { ...input, device };
      const earlier = keys.answerEarlier(keyed);
      if (earlier) return earlier;
      const packed = contents[place] ?? [];
      const verdicts = records.map((record, n): AppendVerdict => {
        if (duplicates.isDuplicate({ device, record })) return "duplicate";
        stored.push({ device, receivedAt, record, content: packed[n] as RowContent });
        return "stored";
      });
      keys.remember(keyed, verdicts);
      sightings.push({ device, seen: receivedAt, sent: records.length > 0 ? receivedAt : null });
      if (input.otaStatuses === undefined) return { kind: "appended", verdicts };
      const otaReports = input.otaStatuses.filter(({ record }) => verdicts[record] === "stored");
      const reports: ReportOutcome[] = [];
      pendingReports.push({ otaReports, reports });
      return { kind: "appended", verdicts, reports };
    });
    await writeRecords(session, notes, stored, sightings);
    await duplicates.write(session);
    await keys.write(session);
    for (const { otaReports, reports } of pendingReports) {
      for (const each of withoutRepeats(otaReports))
        reports.push(...(await recordOtaReport(session, each)));
    }
    return { outcomes, notes };
  }

  async function commitOnce(
    inputs: readonly AppendInput[],
    deadline: number,
  ): Promise<readonly AppendOutcome[]> {
    const contents = await readStep(async (session) => {
      await partitions.makeFor(
        session,
        inputs.flatMap(({ records }) => records.map(({ at }) => at)),
      );
      return shapes.pack(session, inputs);
    }, deadline);
    const { outcomes, notes } = await writeStep(
      (session) => append(session, inputs, contents),
      deadline,
    );
    notes.committed();
    return outcomes;
  }

  const createLane = () =>
    coalesce({
      commit(inputs: readonly AppendInput[]) {
        const deadline = callDeadline();
        return withFreshCaches(() => commitOnce(inputs, deadline));
      },
      weigh,
      senderOf: ({ deviceId }) => deviceId,
      ...appendBounds,
      defer: setImmediate,
    });
  const appendRecords = createLane();
  // A changed status takes several statements. Records without one neither wait for them nor fail with them.
  const appendStatuses = createLane();
  const appendTogether = (input: AppendInput) =>
    (input.otaStatuses === undefined ? appendRecords : appendStatuses)(input);

  return {
    append: (input) =>
      withTimeout(
        runSteps(() => appendTogether(input)),
        appendTimeoutMs,
      ),

    count: ({ atMost, ...range }) =>
      readOf(range.deviceId, 0, (session, device) =>
        countRows(session, { ...range, device }, atMost),
      ),
    samples: ({ order, after, limit, ...range }) =>
      readOf(range.deviceId, [], async (session, device) => {
        const readRows = order === "oldest_first" ? oldestFirst : newestFirst;
        const rows = await readRows(session, { ...range, device }, after, limit);
        return toRecords(session, shapes, rows);
      }),
    leaves: ({ after, limit, namesOnly, ...range }) =>
      readOf(range.deviceId, [], async (session, device) => {
        const readPage = namesOnly ? shapesOldestFirst : oldestFirst;
        const rows = await readPage(session, { ...range, device }, after, limit);
        const known = await shapes.load(session, rows);
        return rows.map((row) => readLeaves(row, (shape) => shapeOf(known, shape), namesOnly));
      }),
    metrics: ({ selection, before, limit, ...range }) =>
      readOf(range.deviceId, { samples: [], next: null }, async (session, device) => {
        const rows = await newestFirst(session, { ...range, device }, before, limit + 1);
        const known = await shapes.load(session, rows);
        const shapeOfRow = (shape: number) => shapeOf(known, shape);
        const toSample = createSampleReader(shapeOfRow, createSelector(selection));
        const page = rows.slice(0, limit);
        const last = rows.length > limit ? page.at(-1) : undefined;
        const next = last === undefined ? null : { at: last.at, position: last.position };
        return { samples: page.map(toSample), next };
      }),
    aggregate: (input) => withFreshCaches(() => aggregate(input)),
    rollUp: (input) => withFreshCaches(() => rollup.rollUp(input)),
    reopenHours: rollup.reopenHours,
    lastPosition: () => read(lastPosition),
    follow: (input) =>
      withFreshCaches(() => read((session) => followRecords(session, shapes, input))),
    end: () => read(async (session) => toFollowCursor(await lastPosition(session))),
    prune: async (input) => {
      // Data that cannot be deleted now is unreachable and does not delay the retention of other
      // records.
      await deleteErasedData();
      return retention.prune(input);
    },
    pruneRollUps: (input) => retention.pruneRollUps(input),

    latest: (devices) =>
      withFreshCaches(() =>
        read(async (session) => {
          const numbers = await findNumbers(
            session,
            devices.map(({ deviceId }) => deviceId),
          );
          const asked = devices.map(({ deviceId, from }) => ({
            device: numbers.get(deviceId) ?? -1,
            from,
          }));
          const found = await latestOf(session, asked);
          const known = await shapes.load(session, [...found.values()]);
          const toAnswer = (row: RecordRow | undefined) => (row ? toRecord(known, row) : null);
          return devices.map((_, place) => toAnswer(found.get(place)));
        }),
      ),

    read: ({ deviceId, after, limit }) =>
      readOf(deviceId, [], async (session, device) =>
        toRecords(session, shapes, await afterPosition(session, { device, after, limit })),
      ),
  };
}
