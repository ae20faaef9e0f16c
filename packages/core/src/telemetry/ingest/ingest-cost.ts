import { hourMs } from "../../shared/durations.js";
import { bucketStart } from "../interval.js";

/** A record's row takes up to 130 bytes besides its metrics, index entry included: as much as 16 metrics. */
const minRecordTokens = 16;
/** A roll-up takes up to 4 KB and is kept for two years. Records are kept for 90 days. */
const hourTokens = 100;
/** An OTA event takes some 400 bytes and is kept for a year. */
const otaChangeTokens = 200;

/**
 * Counts the tokens that a request draws from the metrics bucket: one per metric, and at least 16 per record, so that
 * the bucket also limits what tiny records make a store write. A rejected record counts as one without metrics.
 */
export interface IngestCost {
  addStored(metricCount: number, at: number): void;
  addRejected(): void;
  addOtaChanges(count: number): void;
  tokens(): number;
}

export function createIngestCost(): IngestCost {
  const hours = new Set<number>();
  let lastHour: number | undefined;
  let tokens = 0;
  return {
    addStored(metricCount, at) {
      tokens += Math.max(minRecordTokens, metricCount);
      const hour = bucketStart(at, hourMs);
      if (hour !== lastHour) hours.add(hour);
      lastHour = hour;
    },
    addRejected() {
      tokens += minRecordTokens;
    },
    addOtaChanges(count) {
      tokens += otaChangeTokens * count;
    },
    // The first hour is free: it usually has a roll-up anyway.
    tokens: () => tokens + hourTokens * Math.max(0, hours.size - 1),
  };
}
