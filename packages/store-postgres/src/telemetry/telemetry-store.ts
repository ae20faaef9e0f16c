import {
  type AppendInput,
  type AppendOutcome,
  type AppendVerdict,
  type OtaReport,
  type ReportOutcome,
  type RowContent,
  type TelemetryStore,
  toFollowCursor,
} from "@device-gateway/core/store";
import { type Connection, callDeadline } from "../database/connection/connection.js";
import { withTimeout } from "../database/connection/with-timeout.js";
import type { Session } from "../database/statement.js";
import { findNumbers, lockToAppendTo } from "../device/device-numbers.js";
import { recordOtaReport } from "../ota/ota-event-store.js";
import { lockReleasesOf } from "../ota/update-reporter.js";
import { createAppendQueues, withoutRepeats } from "./append/append-queues.js";
import { commitSoon, type StartCommit } from "./append/commit-turns.js";
import { searchDuplicates } from "./append/duplicate-search.js";
import { type RecordToInsert, type Sighting, writeRecords } from "./append/record-writer.js";
import { createKeyLookUp } from "./append/used-keys.js";
import { findDeviceIn } from "./device-rows.js";
import { createReopening } from "./hours/reopen-hours.js";
import { createRollup } from "./hours/telemetry-rollup.js";
import { endPosition, lastPosition } from "./positions.js";
import { latestOf, toRecord } from "./record-rows.js";
import { createReadInOrder } from "./records-in-order.js";
import { createRetention } from "./retention/telemetry-retention.js";
import type { UseNotes } from "./shapes/shape-uses.js";
import type { TelemetryCaches } from "./telemetry-caches.js";
import { followRecords } from "./telemetry-follower.js";
import { createTelemetryReads } from "./telemetry-reads.js";

/**
 * How long an append may take in total, in milliseconds: it waits for a running commit, perhaps for its turn, and then
 * for its own commit.
 */
const appendTimeoutMs = 1_500;

/** The outcomes of a batch, and the shape uses to cache once it is committed. */
interface Appended {
  readonly outcomes: readonly AppendOutcome[];
  readonly notes: UseNotes;
}

/** Maximum number of attempts if another process deleted something that was cached. */
const attempts = 3;

/**
 * Returns whether the error means that a cached shape or partition is not stored, because another process deleted it or
 * a failover lost it, or that a new shape drew a number that was taken.
 */
const isStale = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { code = "", constraint } = error as { code?: string; constraint?: string };
  return /^(23503|23514)$/.test(code) || constraint === "telemetry_shapes_pkey";
};

/**
 * Stores telemetry. Records lie in daily partitions, without their names
 * (docs/decisions/0014-postgres.md).
 */
export function createTelemetryStore(
  connection: Connection,
  { uses, shapes, partitions, clear: clearCaches }: TelemetryCaches,
  deleteErasedData: () => Promise<void>,
  startCommit: StartCommit = commitSoon,
): TelemetryStore {
  const { read, runSteps, readStep, writeStep } = connection;
  const retention = createRetention(connection);
  const lookUpKeys = createKeyLookUp();
  const rollUp = createRollup(connection, shapes, uses, partitions, withFreshCaches);

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
        clearCaches();
      }
    }
  }

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
    const stored: RecordToInsert[] = [];
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
      if (input.otaReports === undefined) return { kind: "appended", verdicts };
      const otaReports = withoutRepeats(
        input.otaReports.filter(({ record }) => verdicts[record] === "stored"),
      );
      const reports: ReportOutcome[] = [];
      pendingReports.push({ otaReports, reports });
      return { kind: "appended", verdicts, reports };
    });
    await writeRecords(session, notes, stored, sightings);
    await duplicates.write(session);
    await keys.write(session);
    await lockReleasesOf(
      session,
      pendingReports.flatMap(({ otaReports }) => otaReports.map(({ event }) => event)),
    );
    for (const { otaReports, reports } of pendingReports) {
      for (const each of otaReports) reports.push(...(await recordOtaReport(session, each)));
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

  const appendTogether = createAppendQueues((inputs) => {
    const deadline = callDeadline();
    return withFreshCaches(() => commitOnce(inputs, deadline));
  }, startCommit);

  return {
    append: (input) =>
      withTimeout(
        runSteps(() => appendTogether(input)),
        appendTimeoutMs,
      ),

    ...createTelemetryReads(connection, findDeviceIn(connection), shapes),
    rollUp,
    reopenHours: createReopening(connection),
    async lastPositions(deviceIds) {
      const position = await read(lastPosition);
      return deviceIds.map(() => position);
    },
    follow: (input) => read((session) => followRecords(session, shapes, input)),
    end: () => read(async (session) => toFollowCursor(await endPosition(session))),
    prune: async (input) => {
      // Data that cannot be deleted now is unreachable and does not delay the retention of other
      // records.
      await deleteErasedData();
      return retention.prune(input);
    },
    pruneRollUps: (input) => retention.pruneRollUps(input),

    latest: (devices) =>
      read(async (session) => {
        const numbers = await findNumbers(
          session,
          devices.map(({ deviceId }) => deviceId),
        );
        const asked = devices.map(({ deviceId, from }) => ({
          device: numbers.get(deviceId) ?? -1,
          from,
        }));
        const found = await shapes.readRecords(session, () => latestOf(session, asked));
        const records = new Map(
          found.rows.map((row) => [row.place, toRecord(found.shapes, row)] as const),
        );
        return devices.map((_, n) => records.get(n + 1) ?? null);
      }),
    read: createReadInOrder(connection, shapes),
  };
}
