import type { Logger } from "@device-gateway/core/store";
import type { Batch } from "./read-batch.js";
import type { SeriesRefusal } from "./series-cap.js";
import type { SinkLevels } from "./sink-levels.js";
import type { WrittenLines } from "./write-lines.js";

/** Rejected records are logged at most this often, in milliseconds. */
const rejectionLogMs = 60_000;

const sentences: Readonly<Record<SeriesRefusal, string>> = {
  device: "A device sends too many different metrics. The sink drops its new ones.",
  scarce:
    "Three quarters of the sink's series are in use, so it takes fewer metrics of each device. List the metrics to copy.",
  total:
    "The sink has reached its total number of series and drops new metrics of all devices. List the metrics to copy.",
};

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
  const logged = new Set<SeriesRefusal>();
  let skippedInLog = 0;
  let rejectionLoggedAt = Number.NEGATIVE_INFINITY;

  function logSkipped(reason: string | undefined): void {
    const skipped = counts.skipped - skippedInLog;
    if (skipped === 0 || performance.now() - rejectionLoggedAt < rejectionLogMs) return;
    rejectionLoggedAt = performance.now();
    skippedInLog = counts.skipped;
    logger?.warn({ skipped, reason }, "The telemetry receiver rejected records, which are skipped");
  }

  /** Logs each reason once. */
  function noteDropped(dropped: Batch["dropped"]): void {
    for (const [reason, count] of Object.entries(dropped) as [SeriesRefusal, number][]) {
      counts.droppedValues += count;
      if (count === 0 || logged.has(reason)) continue;
      logged.add(reason);
      logger?.warn({}, sentences[reason]);
    }
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
      counts.written += written;
      counts.skipped += skipped;
      noteDropped(dropped);
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
