import type { Logger } from "@device-gateway/core/store";
import type { Batch } from "./read-batch.js";
import type { SinkLevels } from "./sink-levels.js";
import type { WrittenLines } from "./write-lines.js";

/** Rejected records are logged at most this often, in milliseconds. */
const rejectionLogMs = 60_000;

/** Counts what the sink does, and logs what an operator must know. */
export interface SinkProgress {
  readLevels(): SinkLevels;
  noteActive(isActive: boolean): void;
  noteRead(batch: Batch): void;
  noteWritten(batch: Batch, outcome: WrittenLines): void;
  noteFailure(error: unknown, retryMs: number): void;
}

export function createSinkProgress(logger: Logger | undefined): SinkProgress {
  const counts = { written: 0, skipped: 0, droppedValues: 0, failures: 0 };
  let isActive = false;
  let unwrittenSince: number | null = null;
  let isFailing = false;
  let skippedInLog = 0;
  let rejectionLoggedAt = Number.NEGATIVE_INFINITY;

  function logSkipped(reason: string | undefined): void {
    const skipped = counts.skipped - skippedInLog;
    if (skipped === 0 || performance.now() - rejectionLoggedAt < rejectionLogMs) return;
    rejectionLoggedAt = performance.now();
    skippedInLog = counts.skipped;
    logger?.warn({ skipped, reason }, "The telemetry receiver rejected records, which are skipped");
  }

  return {
    readLevels: () => {
      const lagMs = unwrittenSince === null ? 0 : Math.max(0, Date.now() - unwrittenSince);
      return { isActive, lagSeconds: isActive ? lagMs / 1_000 : null, ...counts };
    },
    noteActive(active) {
      if (active && !isActive) logger?.info({}, "This process writes telemetry to the receiver");
      if (!active && isActive) logger?.info({}, "Another process writes telemetry to the receiver");
      isActive = active;
    },
    noteRead: ({ received }) => {
      if (received !== null) unwrittenSince = received.first;
    },
    noteWritten({ isAtEnd, received, dropped }, { written, skipped, reason }) {
      unwrittenSince = isAtEnd ? null : (received?.last ?? unwrittenSince);
      if (dropped > 0 && counts.droppedValues === 0) {
        logger?.warn(
          {},
          "A device sends too many different metrics; the receiver gets no new ones",
        );
      }
      counts.written += written;
      counts.skipped += skipped;
      counts.droppedValues += dropped;
      logSkipped(reason);
      if (isFailing) logger?.info({}, "The telemetry receiver works again");
      isFailing = false;
    },
    noteFailure(error, retryMs) {
      counts.failures += 1;
      const fields = { err: error, retryMs };
      if (isFailing) logger?.debug(fields, "Telemetry could not be written to the receiver");
      else logger?.warn(fields, "Telemetry could not be written to the receiver; trying again");
      isFailing = true;
    },
  };
}
