import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import { findVisibleDevice } from "../dashboard/visible-device.js";
import type { Failure } from "../failure.js";
import type { JsonObject } from "../json.js";
import type {
  RecordPlace,
  RecordRange,
  StoredTelemetryRecord,
  TelemetryStore,
} from "../telemetry/telemetry-store.js";
import { toTimestamp } from "../timestamp.js";
import type { User } from "../user/user.js";
import { toCsvLine } from "./csv.js";
import { flattenLeaves } from "./flatten-leaves.js";
import { parseRange, type RangeQuery } from "./history-range.js";

/** Records that are in memory at a time. */
const pageSize = 500;

export interface ExportQuery extends RangeQuery {
  readonly format: "csv" | "ndjson";
}

/** What an export is made of; the stream reads as it is read. */
export interface TelemetryExport {
  readonly fileName: string;
  readonly type: string;
  readonly stream: AsyncIterable<string>;
}

async function* recordsOf(
  telemetry: TelemetryStore,
  range: RecordRange,
): AsyncGenerator<readonly StoredTelemetryRecord[]> {
  let after: RecordPlace | null = null;
  for (;;) {
    const page: readonly StoredTelemetryRecord[] = await telemetry.samples({
      ...range,
      order: "oldest_first",
      after,
      limit: pageSize,
    });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last;
  }
}

const parse = ({ body }: StoredTelemetryRecord) => JSON.parse(body) as JsonObject;

async function* toNdjson(telemetry: TelemetryStore, range: RecordRange): AsyncGenerator<string> {
  for await (const page of recordsOf(telemetry, range)) {
    const lines = page.map((record) => {
      const line = { ...parse(record), timestamp: toTimestamp(record.at) };
      return `${JSON.stringify(line)}\n`;
    });
    yield lines.join("");
  }
}

/** A column a path, in the order in which they come up: found by a first walk over the range. */
async function* toCsv(telemetry: TelemetryStore, range: RecordRange): AsyncGenerator<string> {
  const columns = new Map<string, number>();
  for await (const page of recordsOf(telemetry, range)) {
    for (const record of page) {
      for (const [name] of flattenLeaves(parse(record))) {
        if (name !== "timestamp" && !columns.has(name)) columns.set(name, columns.size);
      }
    }
  }
  yield toCsvLine(["timestamp", ...columns.keys()]);
  for await (const page of recordsOf(telemetry, range)) {
    const lines = page.map((record) => {
      const fields: unknown[] = Array.from({ length: columns.size });
      for (const [name, value] of flattenLeaves(parse(record))) {
        const column = columns.get(name);
        // A path that came up since the first walk has no column; the next export has it.
        if (column !== undefined) fields[column] = value;
      }
      return toCsvLine([toTimestamp(record.at), ...fields]);
    });
    yield lines.join("");
  }
}

const fileNameOf = (deviceId: string, { from, to }: RecordRange, format: string) => {
  const day = (at: number) => toTimestamp(at).slice(0, 10);
  return `${deviceId.replaceAll(/[^\w.-]/g, "_")}_${day(from)}_${day(to)}.${format}`;
};

/** Exports what a device sent in a range, whole and at constant memory (contract §7). */
export async function exportTelemetry(
  context: GatewayContext,
  user: User,
  deviceId: string,
  query: ExportQuery,
): Promise<Result<TelemetryExport, Failure<"device_not_found" | "invalid_request">>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  // Without a range, all that can be there.
  const defaultHours = (context.limits.telemetryRetentionDays + 1) * 24;
  const asked = parseRange(query, context.clock.now(), defaultHours);
  if (asked.isErr()) return err(asked.error);
  const receivedFrom = visible.value.from;
  const range = { deviceId, ...asked.value, receivedFrom };
  range.from = Math.max(range.from, receivedFrom);
  const { telemetry } = context.store;
  const csv = query.format === "csv";
  return ok({
    fileName: fileNameOf(deviceId, range, query.format),
    type: csv ? "text/csv; charset=utf-8" : "application/x-ndjson",
    stream: csv ? toCsv(telemetry, range) : toNdjson(telemetry, range),
  });
}
