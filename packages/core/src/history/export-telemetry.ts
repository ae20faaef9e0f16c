import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import { describeMetric } from "../contract/index.js";
import { findDescriptions } from "../metrics/read-metrics.js";
import { CutStreamError } from "../shared/cut-stream-error.js";
import type { Failure } from "../shared/failure.js";
import { createPacer } from "../shared/pacer.js";
import { toTimestamp } from "../shared/timestamp.js";
import { recordAheadMs } from "../telemetry/record-times.js";
import type {
  RecordPlace,
  RecordRange,
  StoredTelemetryRecord,
  TelemetryReads,
} from "../telemetry/telemetry-store.js";
import type { User } from "../user/user.js";
import { createCsvTable } from "./csv-table.js";
import { parseRange, type RangeQuery } from "./history-range.js";
import { holdWhileRead } from "./hold-while-read.js";
import { inPieces } from "./in-pieces.js";
import { openReads } from "./open-reads.js";

/** Records that are read in one turn of the event loop. They are written in the same turn, if they are not large. */
const pageSize = 50;
/** Records whose names are read in one turn of the event loop. */
const namesPageSize = 500;

export interface ExportQuery extends RangeQuery {
  readonly format: "csv" | "ndjson";
  /** Whether the header of a CSV has the units of the metrics. */
  readonly header: "name" | "unit";
}

/** An export. Its stream reads the records while it is read. */
export interface TelemetryExport {
  readonly fileName: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: AsyncIterable<string>;
}

/** Reads pages of a range. Reading ends when the user may not see the records any more, or when it is stopped. */
interface Source {
  pages<Item extends RecordPlace>(
    readPage: (
      telemetry: TelemetryReads,
      query: RecordRange & { readonly after: RecordPlace | null },
    ) => Promise<readonly Item[]>,
  ): AsyncGenerator<readonly Item[]>;
  stop(): void;
}

function createSource(
  context: GatewayContext,
  telemetry: TelemetryReads,
  user: User,
  range: RecordRange,
  turn: () => Promise<void>,
): Source {
  let isStopped = false;
  // Checked after each page, because the user may release the device during a long export.
  async function checkStillVisible() {
    const visible = await findVisibleDevice(context, user, range.deviceId);
    if (visible.isOk() && visible.value.from === range.receivedFrom) return;
    throw new CutStreamError(`The user may not see device ${range.deviceId} any more.`);
  }
  return {
    async *pages(readPage) {
      let after: RecordPlace | null = null;
      while (!isStopped) {
        // A turn charges the work since the one before. The first one starts the measurement.
        await turn();
        const page = await readPage(telemetry, { ...range, after });
        await checkStillVisible();
        const last = page.at(-1);
        if (last === undefined) return;
        yield page;
        after = last;
      }
    },
    stop() {
      isStopped = true;
    },
  };
}

/** Writes the lines of records in pieces, and lets other work run in between, because a page may have much text. */
async function* inPacedPieces<Item>(
  pages: AsyncIterable<readonly Item[]>,
  toLine: (record: Item) => string,
  turn: () => Promise<void>,
): AsyncGenerator<string> {
  for await (const page of pages) {
    const pacer = createPacer({ turn });
    const lines: string[] = [];
    for (const record of page) {
      if (pacer.isDue()) await pacer.turn();
      lines.push(toLine(record));
    }
    yield* inPieces(lines);
  }
}

function toNdjson({ pages }: Source, turn: () => Promise<void>): AsyncGenerator<string> {
  const records = pages((telemetry, query) =>
    telemetry.samples({ ...query, order: "oldest_first", limit: pageSize }),
  );
  const toLine = ({ value, at }: StoredTelemetryRecord) =>
    `${JSON.stringify({ ...value, timestamp: toTimestamp(at) })}\n`;
  return inPacedPieces(records, toLine, turn);
}

async function* toCsv(
  { pages }: Source,
  toTitle: (name: string) => string,
  turn: () => Promise<void>,
): AsyncGenerator<string> {
  // The first column is sent before the pass, because a client would give up on a response that starts late (§9).
  yield "timestamp";
  const names = pages((telemetry, query) =>
    telemetry.leaves({ ...query, limit: namesPageSize, namesOnly: true }),
  );
  const table = createCsvTable();
  for await (const page of names) for (const record of page) table.addColumns(record.names);
  yield* inPieces([`${table.restOfHeader(toTitle)}`]);
  const records = pages((telemetry, query) =>
    telemetry.leaves({ ...query, limit: pageSize, namesOnly: false }),
  );
  yield* inPacedPieces(records, table.toLine, turn);
}

const fileNameOf = (deviceId: string, { from, to }: RecordRange, format: string) => {
  const days = [from, to].filter((at) => at > 0).map((at) => toTimestamp(at).slice(0, 10));
  return `${[deviceId.replaceAll(/[^\w.-]/g, "_"), ...days].join("_")}.${format}`;
};

/** Returns the titles of columns: names of metrics, with their units if the header is to have them. */
async function findTitles(
  context: GatewayContext,
  targetHardware: string,
  header: ExportQuery["header"],
): Promise<(name: string) => string> {
  if (header === "name") return (name) => name;
  const descriptions = await findDescriptions(context, targetHardware);
  return (name) => {
    const { unit } = describeMetric(descriptions, name);
    return unit === undefined ? name : `${name} [${unit}]`;
  };
}

type ExportFailure = Failure<"device_not_found" | "invalid_request" | "too_many_requests">;

/** Exports a device's records in a range, whole and page by page (§7). */
export async function exportTelemetry(
  context: GatewayContext,
  user: User,
  deviceId: string,
  query: ExportQuery,
  turn: () => Promise<void>,
): Promise<Result<TelemetryExport, ExportFailure>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  // Without a range, the export includes records with a timestamp slightly in the future.
  const newest = context.clock.now() + recordAheadMs;
  const asked = parseRange(query, newest, Number.POSITIVE_INFINITY);
  if (asked.isErr()) return err(asked.error);
  const receivedFrom = visible.value.from;
  const range = { deviceId, ...asked.value, receivedFrom };
  range.from = Math.max(range.from, receivedFrom);
  // Otherwise the export would follow new records for ever.
  range.to = Math.min(range.to, newest);
  const { targetHardware } = visible.value.device.profile;
  const toTitle = await findTitles(context, targetHardware, query.header);
  const { telemetry, headers } = await openReads(context);
  // At a shutdown, exports run to their end. One that was cut off would look complete.
  const giveBack = context.openExports.take(user.id, () => {});
  if (giveBack === undefined) return err({ code: "too_many_requests", retryAfterSeconds: 5 });
  const source = createSource(context, telemetry, user, range, turn);
  const csv = query.format === "csv";
  return ok({
    fileName: fileNameOf(deviceId, range, query.format),
    type: csv ? "text/csv; charset=utf-8" : "application/x-ndjson",
    headers,
    stream: holdWhileRead(csv ? toCsv(source, toTitle, turn) : toNdjson(source, turn), {
      stop: source.stop,
      giveBack,
    }),
  });
}
