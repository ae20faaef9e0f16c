import { bucketStart } from "./interval.js";

const hourMs = 3_600_000;
/** A record's row takes up to 130 bytes beside its metrics, with its index entry: as much as 16 metrics. */
const leastRecordTokens = 16;
/** A roll-up takes up to 4 KB, and is kept for two years, where records are kept for 90 days. */
const hourTokens = 100;
/** An OTA event takes some 400 bytes, and is kept for a year. */
const otaChangeTokens = 200;

/**
 * Counts what a request draws from the metrics bucket: the metrics of its records, and at least 16 tokens a record, so
 * that the bucket bounds what tiny records make a store write. A rejected record counts as one without metrics.
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
      tokens += Math.max(leastRecordTokens, metricCount);
      const hour = bucketStart(at, hourMs);
      if (hour !== lastHour) hours.add(hour);
      lastHour = hour;
    },
    addRejected() {
      tokens += leastRecordTokens;
    },
    addOtaChanges(count) {
      tokens += otaChangeTokens * count;
    },
    // The first hour is mostly the one that has a roll-up in any case.
    tokens: () => tokens + hourTokens * Math.max(0, hours.size - 1),
  };
}
