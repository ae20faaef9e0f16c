import { nextTurn, type TelemetryStore } from "@device-gateway/core/store";
import type { DroppedValues, LineWriter } from "./line-writer.js";

/** Lines for one request, and where the next batch begins. */
export interface Batch {
  /** A list for each device, in the order of arrival. */
  readonly lines: readonly (readonly string[])[];
  readonly next: string;
  /** Whether there was nothing more to read. */
  readonly isAtEnd: boolean;
  /** Epoch milliseconds: when the first and the last record were received. Null if there were none. */
  readonly received: { readonly first: number; readonly last: number } | null;
  /** Values that the cap has left out. */
  readonly dropped: DroppedValues;
}

/** Records that are read, or turned into lines, in one turn of the event loop. */
const pageRecords = 100;
const turnRecords = 50;
/** A batch ends after this many characters of lines, or this many pages without enough lines. */
const batchLength = 1_000_000;
const batchPages = 20;

/** Reads the next records of all devices as lines. */
export async function readBatch(
  telemetry: Pick<TelemetryStore, "follow">,
  writer: LineWriter,
  after: string,
): Promise<Batch> {
  // A batch that could not be read counts nothing.
  writer.takeDropped();
  const lines = new Map<string, string[]>();
  let length = 0;
  let next = after;
  let isAtEnd = false;
  let received = null as Batch["received"];
  for (let page = 0; page < batchPages && length < batchLength && !isAtEnd; page++) {
    await nextTurn();
    const { records, next: end } = await telemetry.follow({ after: next, limit: pageRecords });
    for (const [n, record] of records.entries()) {
      if (n % turnRecords === 0) await nextTurn();
      const { receivedAt } = record;
      received = { first: received?.first ?? receivedAt, last: receivedAt };
      const line = writer.toLine(record);
      if (line === null) continue;
      const ofDevice = lines.get(record.deviceId);
      if (ofDevice === undefined) lines.set(record.deviceId, [line]);
      else ofDevice.push(line);
      length += line.length;
    }
    isAtEnd = end === next;
    next = end;
  }
  const dropped = writer.takeDropped();
  return { lines: [...lines.values()], next, isAtEnd, received, dropped };
}
