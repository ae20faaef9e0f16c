import { setTimeout as wait } from "node:timers/promises";
import { createLease, LeaseLostError } from "./lease.js";
import { createLineWriter } from "./line-writer.js";
import { readBatch } from "./read-batch.js";
import { createReceiver, ReceiverUnavailableError } from "./receiver.js";
import { createSeriesCap } from "./series-cap.js";
import { createSettling } from "./settling.js";
import type { SinkLevels } from "./sink-levels.js";
import {
  readSinkOptions,
  type SinkSettings,
  type SinkStore,
  type TelemetrySinkOptions,
} from "./sink-options.js";
import { createSinkProgress, type SinkProgress } from "./sink-progress.js";
import { writeLines } from "./write-lines.js";

/** A running sink. */
export interface TelemetrySink {
  readLevels(): SinkLevels;
  /** Aborts the current request and lets another process continue, which writes the last seconds again. */
  stop(): Promise<void>;
}

const longestRetryMs = 30_000;

/**
 * Returns how long to wait after a number of consecutive failures. The wait doubles with each failure, and is shortened
 * at random by up to half.
 */
function retryAfter(failures: number, error: unknown, pollMs: number): number {
  const longest = Math.min(longestRetryMs, pollMs * 2 ** Math.min(failures, 16));
  const asked = error instanceof ReceiverUnavailableError ? error.retryAfterMs : 0;
  return Math.max(Math.min(asked, longestRetryMs), longest * (0.5 + Math.random() / 2));
}

const nothingWritten = { written: 0, skipped: 0, reason: undefined };

/** Cursors of the process that writes. */
interface Place {
  /** The cursor in the store. */
  stored: string;
  /** The receiver has everything before this one. It is not stored while a database may have failed over. */
  safe: string;
  /** Where the process continues. */
  next: string;
}

/** Creates a function that writes the next batch. */
function createDelivery(
  store: SinkStore,
  settings: SinkSettings,
  progress: SinkProgress,
  stop: AbortSignal,
) {
  const { name, startAt, timeoutMs, settleMs, maxMetricsPerDevice, maxSeries } = settings;
  const lease = createLease(store, { name, timeoutMs });
  const settling = createSettling(settleMs);
  const receiver = createReceiver(settings, settling.noteDisconnected);
  const cap = createSeriesCap({ metricsPerDevice: maxMetricsPerDevice, series: maxSeries });
  const writer = createLineWriter(settings, cap);
  let place: Place | null = null;
  /** The cursor of the change feed. */
  let feed: string | null = null;

  /**
   * Continues from the stored cursor if the store may have failed over to a server that lacks what was read. Returns
   * whether all of its databases answered in time: another one may have failed over.
   */
  async function checkHistory(): Promise<boolean> {
    const isKnown = feed !== null;
    const outcome = await store.changes.since(feed);
    feed = outcome.cursor;
    if (isKnown && outcome.kind === "reset") place = null;
    // Only a store of several databases sets it.
    return outcome.isUnread === undefined;
  }

  async function acquire(): Promise<void> {
    const stored = await lease.take();
    if (stored === null) return;
    settling.clear();
    const isNew = stored === "" && startAt === "newest";
    const begin = isNew ? await store.telemetry.end() : stored;
    if (isNew) await lease.advance(begin);
    place = { stored: begin, safe: begin, next: begin };
  }

  async function deliver(here: Place): Promise<boolean> {
    if (settling.takeRepeat()) here.next = here.safe;
    const batch = await readBatch(store.telemetry, writer, here.next);
    progress.noteRead(batch);
    const sender = {
      async send(lines: readonly string[]) {
        await lease.keep(here.stored);
        return receiver.send(lines, stop);
      },
      probe: () => `telemetry_sink accepts=1 ${Date.now()}`,
    };
    const hasLines = batch.lines.length > 0;
    const outcome = hasLines ? await writeLines(sender, batch.lines) : nothingWritten;
    progress.noteWritten(batch, outcome);
    if (batch.next !== here.next) settling.noteAccepted(batch.next);
    here.next = batch.next;
    // After a failover, the cursor would skip the new records that got the positions of lost ones.
    here.safe = settling.takeSafe() ?? here.safe;
    if (here.safe !== here.stored && (await checkHistory())) {
      if (place === null) return true;
      await lease.advance(here.safe);
      here.stored = here.safe;
    }
    return !batch.isAtEnd;
  }

  return {
    async end() {
      receiver.close();
      await lease.release();
    },
    /** Returns whether to look for more at once. */
    async deliverNext(): Promise<boolean> {
      try {
        await checkHistory();
        if (place === null) await acquire();
        else await lease.keep(place.stored);
        progress.noteActive(place !== null);
        return place === null ? false : await deliver(place);
      } catch (error) {
        if (error instanceof ReceiverUnavailableError) throw error;
        // The store may have failed over to a server that lacks the last records: its own cursor counts.
        place = null;
        if (!(error instanceof LeaseLostError)) throw error;
        progress.noteActive(false);
        return false;
      }
    },
  };
}

/**
 * Starts to write the telemetry of all devices as line protocol, at least once and in the order of arrival for each
 * device. It remembers its place in the store, so that it continues after a restart, an outage or a crash. If several
 * processes run it, one writes at a time. It keeps running until `stop`, and does not keep the process alive.
 * @throws {TypeError} if an option is invalid.
 *
 * @example
 * const sink = startTelemetrySink(store, { url: "http://localhost:8428/write", metrics: ["soc", "bms.*"] });
 * process.once("SIGTERM", () => sink.stop());
 */
export function startTelemetrySink(store: SinkStore, options: TelemetrySinkOptions): TelemetrySink {
  const settings = readSinkOptions(options);
  const { pollMs, timeoutMs, logger } = settings;
  const stopping = new AbortController();
  const { signal } = stopping;
  const progress = createSinkProgress(logger);
  const delivery = createDelivery(store, settings, progress, signal);
  const pause = (ms: number) => wait(ms, undefined, { signal, ref: false }).catch(() => {});

  async function run(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const hasMore = await delivery.deliverNext();
        failures = 0;
        // Another process writes: look for its end, which takes as long as a lease.
        const { isActive } = progress.readLevels();
        if (!hasMore) await pause(isActive ? pollMs : Math.max(pollMs, timeoutMs / 4));
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        const retryMs = retryAfter(failures, error, pollMs);
        progress.noteFailure(error, Math.round(retryMs));
        await pause(retryMs);
      }
    }
    // If the store does not answer, the lease ends by itself.
    await delivery.end().catch(() => {});
  }
  const running = run();

  return {
    readLevels: progress.readLevels,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
