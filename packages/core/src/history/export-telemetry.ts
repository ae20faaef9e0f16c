import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import { CutStreamError } from "../shared/cut-stream-error.js";
import type { Failure } from "../shared/failure.js";
import { nextTurn } from "../shared/next-turn.js";
import { toTimestamp } from "../shared/timestamp.js";
import { aheadMs } from "../telemetry/ingest-telemetry.js";
import type {
  RecordPlace,
  RecordRange,
  StoredTelemetryRecord,
} from "../telemetry/telemetry-store.js";
import type { User } from "../user/user.js";
import { toCsvLine } from "./csv.js";
import { flattenLeaves } from "./flatten-leaves.js";
import { parseRange, type RangeQuery } from "./history-range.js";
import { holdWhileRead } from "./hold-while-read.js";
import { inPieces } from "./in-pieces.js";

/** Records that are read and written in one turn of the event loop: some milliseconds. */
const pageSize = 50;
/** Columns of a CSV; what has none stands in the last one, as JSON. */
const mostColumns = 1_000;
/** A record's time stands in the first one, in place of what the record calls so. */
const ownColumns = new Set(["timestamp", "other"]);

export interface ExportQuery extends RangeQuery {
  readonly format: "csv" | "ndjson";
}

/** What an export is made of; the stream reads as it is read. */
export interface TelemetryExport {
  readonly fileName: string;
  readonly type: string;
  readonly stream: AsyncIterable<string>;
}

/** What an export reads, for as long as its user may, and until it is stopped. */
interface Source {
  pages(): AsyncGenerator<readonly StoredTelemetryRecord[]>;
  stop(): void;
}

function createSource(context: GatewayContext, user: User, range: RecordRange): Source {
  let isStopped = false;
  // Asked after each page: somebody who reads slowly may have released the device meanwhile.
  async function checkStillTheirs() {
    const visible = await findVisibleDevice(context, user, range.deviceId);
    if (visible.isOk() && visible.value.from === range.receivedFrom) return;
    throw new CutStreamError(`The device ${range.deviceId} is not theirs any more.`);
  }
  async function* pages() {
    let after: RecordPlace | null = null;
    while (!isStopped) {
      const query = { ...range, order: "oldest_first" as const, after, limit: pageSize };
      const page: readonly StoredTelemetryRecord[] = await context.store.telemetry.samples(query);
      await checkStillTheirs();
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last;
      await nextTurn();
    }
  }
  const stop = () => {
    isStopped = true;
  };
  return { pages, stop };
}

async function* toNdjson({ pages }: Source): AsyncGenerator<string> {
  for await (const page of pages()) {
    const lines = page.map((record) => {
      const line = { ...record.value, timestamp: toTimestamp(record.at) };
      return `${JSON.stringify(line)}\n`;
    });
    yield* inPieces(lines);
  }
}

/** A column a path, in the order in which they come up: found by a first walk over the range. */
async function findColumns({ pages }: Source): Promise<Map<string, number>> {
  const columns = new Map<string, number>();
  for await (const page of pages()) {
    for (const record of page) {
      for (const [name] of flattenLeaves(record.value)) {
        const isNew = !ownColumns.has(name) && !columns.has(name);
        if (isNew && columns.size < mostColumns) columns.set(name, columns.size);
      }
    }
  }
  return columns;
}

async function* toCsv(source: Source): AsyncGenerator<string> {
  // What is known before the walk goes ahead: who waits would give up on a long one (contract §9).
  yield "timestamp";
  const columns = await findColumns(source);
  yield* inPieces([`,${toCsvLine([...columns.keys(), "other"])}`]);
  for await (const page of source.pages()) {
    const lines = page.map((record) => {
      const fields: unknown[] = Array.from({ length: columns.size });
      const other: [string, unknown][] = [];
      for (const [name, value] of flattenLeaves(record.value)) {
        const column = columns.get(name);
        if (column !== undefined) fields[column] = value;
        else if (name !== "timestamp") other.push([name, value]);
      }
      const rest = other.length > 0 ? JSON.stringify(Object.fromEntries(other)) : undefined;
      return toCsvLine([toTimestamp(record.at), ...fields, rest]);
    });
    yield* inPieces(lines);
  }
}

const fileNameOf = (deviceId: string, { from, to }: RecordRange, format: string) => {
  const days = [from, to].filter((at) => at > 0).map((at) => toTimestamp(at).slice(0, 10));
  return `${[deviceId.replaceAll(/[^\w.-]/g, "_"), ...days].join("_")}.${format}`;
};

type ExportFailure = Failure<"device_not_found" | "invalid_request" | "too_many_requests">;

/** Exports what a device sent in a range, whole and page by page (contract §7). */
export async function exportTelemetry(
  context: GatewayContext,
  user: User,
  deviceId: string,
  query: ExportQuery,
): Promise<Result<TelemetryExport, ExportFailure>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  // Without a range, all that is there, what is a little ahead of our clock among it.
  const newest = context.clock.now() + aheadMs;
  const asked = parseRange(query, newest, Number.POSITIVE_INFINITY);
  if (asked.isErr()) return err(asked.error);
  const receivedFrom = visible.value.from;
  const range = { deviceId, ...asked.value, receivedFrom };
  range.from = Math.max(range.from, receivedFrom);
  // Not to follow for ever what is sent meanwhile.
  range.to = Math.min(range.to, newest);
  // One that is cut off at a shutdown would pass for whole: they are let come to their end.
  const giveBack = context.openExports.take(user.id, () => {});
  if (giveBack === undefined) return err({ code: "too_many_requests", retryAfterSeconds: 5 });
  const source = createSource(context, user, range);
  const csv = query.format === "csv";
  return ok({
    fileName: fileNameOf(deviceId, range, query.format),
    type: csv ? "text/csv; charset=utf-8" : "application/x-ndjson",
    stream: holdWhileRead(csv ? toCsv(source) : toNdjson(source), {
      stop: source.stop,
      giveBack,
    }),
  });
}
