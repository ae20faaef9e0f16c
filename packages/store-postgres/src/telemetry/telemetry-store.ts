import {
  type AppendInput,
  type AppendOutcome,
  type AppendVerdict,
  coalesce,
  createSampleReader,
  createSelector,
  type OtaNews,
  type ReportOutcome,
  type TelemetryStore,
} from "@device-gateway/core/store";
import { answerInTime } from "../database/answer-in-time.js";
import { type Connection, callDeadline } from "../database/connection.js";
import type { Session } from "../database/statement.js";
import { findNumbers, lockToAppendTo } from "../device/device-numbers.js";
import { recordOtaReports } from "../ota/ota-event-store.js";
import {
  afterPosition,
  countRows,
  latestOf,
  newestFirst,
  oldestFirst,
  type RecordRow,
  toRecord,
  toRecords,
} from "./record-rows.js";
import { type PackedRecord, type Sighting, writeRecords } from "./record-writer.js";
import { type Content, createShapeRows, MissingShapeError, shapeOf } from "./shape-rows.js";
import { createShapeUses, type UseNotes } from "./shape-uses.js";
import { createAggregation } from "./telemetry-history.js";
import { createTelemetryPartitions } from "./telemetry-partitions.js";
import { createRetention } from "./telemetry-retention.js";
import { createRollup, lastPosition } from "./telemetry-rollup.js";
import { searchTwins } from "./twin-search.js";
import { lookUpKeys } from "./used-keys.js";

/** Records in one commit; requests that may wait. */
const appendBounds = { batchWeight: 2_000, queueSize: 4_096 };
/** How long records wait in all: for others' commit, then for their own. */
const appendPatienceMs = 1_500;

/** What was made of a batch, and what of it is to be remembered once it is committed. */
interface Appended {
  readonly outcomes: readonly AppendOutcome[];
  readonly notes: UseNotes;
}

/** Attempts when another process dropped something meanwhile. */
const attempts = 3;

/** Whether another process has dropped a shape or a partition that was known here or being read. */
const isStale = (error: unknown): boolean =>
  error instanceof MissingShapeError ||
  (error instanceof Error && /^(23503|23514)$/.test((error as { code?: string }).code ?? ""));

/** Records lie in partitions of a day, without their names (docs/decisions/0014-postgres.md). */
export function createTelemetryStore(
  connection: Connection,
  clearErased: () => Promise<void>,
): TelemetryStore {
  const { read, enter, look, transact } = connection;
  const uses = createShapeUses();
  const shapes = createShapeRows(uses);
  const partitions = createTelemetryPartitions();
  const retention = createRetention(connection);
  const rollup = createRollup(connection, shapes, uses, partitions);
  const aggregate = createAggregation(connection, shapes);

  /** Forgets what is remembered and repeats, when another process has dropped something meanwhile. */
  async function withFresh<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isStale(error) || attempt === attempts) throw error;
        shapes.forget();
        uses.forget();
        partitions.forget();
      }
    }
  }

  /** Of a device that is unknown there is nothing. */
  const readOf = <Answer>(
    deviceId: string,
    nothing: Answer,
    work: (session: Session, device: number) => Promise<Answer>,
  ) =>
    withFresh(() =>
      read(async (session) => {
        const device = (await findNumbers(session, [deviceId])).get(deviceId);
        return device === undefined ? nothing : work(session, device);
      }),
    );

  async function append(
    session: Session,
    inputs: readonly AppendInput[],
    contents: readonly (readonly Content[])[],
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
    const twins = await searchTwins(
      session,
      shapes,
      known.flatMap(({ device, records }) => records.map((record) => ({ device, record }))),
    );
    const stored: PackedRecord[] = [];
    const sightings: Sighting[] = [];
    const told: { readonly news: readonly OtaNews[]; readonly reports: ReportOutcome[] }[] = [];
    const outcomes = inputs.map((input, place): AppendOutcome => {
      const { deviceId, receivedAt, records } = input;
      const device = devices.get(deviceId)?.number;
      if (device === undefined) return { kind: "unknown_device" };
      const keyed = { ...input, device };
      const earlier = keys.answerEarlier(keyed);
      if (earlier) return earlier;
      const packed = contents[place] ?? [];
      const verdicts = records.map((record, n): AppendVerdict => {
        if (twins.isTwin({ device, record })) return "duplicate";
        stored.push({ device, receivedAt, record, content: packed[n] as Content });
        return "stored";
      });
      keys.remember(keyed, verdicts);
      sightings.push({ device, seen: receivedAt, sent: records.length > 0 ? receivedAt : null });
      if (input.otaStatuses === undefined) return { kind: "appended", verdicts };
      const news = input.otaStatuses.filter(({ record }) => verdicts[record] === "stored");
      const reports: ReportOutcome[] = [];
      told.push({ news, reports });
      return { kind: "appended", verdicts, reports };
    });
    await writeRecords(session, notes, stored, sightings);
    await twins.write(session);
    await keys.write(session);
    for (const { news, reports } of told) {
      for (const each of news) reports.push(...(await recordOtaReports(session, each)));
    }
    return { outcomes, notes };
  }

  async function tryCommit(
    inputs: readonly AppendInput[],
    deadline: number,
  ): Promise<readonly AppendOutcome[]> {
    const contents = await look(async (session) => {
      await partitions.makeFor(
        session,
        inputs.flatMap(({ records }) => records.map(({ at }) => at)),
      );
      return shapes.pack(session, inputs);
    }, deadline);
    const { outcomes, notes } = await transact(
      (session) => append(session, inputs, contents),
      deadline,
    );
    notes.committed();
    return outcomes;
  }

  const appendTogether = coalesce({
    commit(inputs: readonly AppendInput[]) {
      const deadline = callDeadline();
      return withFresh(() => tryCommit(inputs, deadline));
    },
    weigh: ({ records }: AppendInput) => 1 + records.length,
    ...appendBounds,
    defer: setImmediate,
  });

  return {
    append: (input) =>
      answerInTime(
        enter(() => appendTogether(input)),
        appendPatienceMs,
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
    aggregate: (input) => withFresh(() => aggregate(input)),
    rollUp: (input) => withFresh(() => rollup.rollUp(input)),
    reopenHours: rollup.reopenHours,
    lastPosition: () => read(lastPosition),
    prune: async (input) => {
      // What can't go now is out of reach, and keeps no other record beyond its time.
      await clearErased();
      return retention.prune(input);
    },
    pruneRollUps: (input) => retention.pruneRollUps(input),

    latest: (devices) =>
      withFresh(() =>
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
