import { maxBatchRecords, recordBounds } from "@device-gateway/core/contract";
import { minuteMs, recordOf } from "../fleet.js";

const telemetryBytes = 262_144;
const bodyBytes = 16_384;

/** Returns a batch of as many records as one telemetry request may contain. */
function batchOf(recordAt: (n: number) => object): object {
  const records: object[] = [];
  let bytes = 2;
  for (let n = 0; n < maxBatchRecords; n++) {
    const record = recordAt(n);
    bytes += JSON.stringify(record).length + 1;
    if (bytes > telemetryBytes) break;
    records.push(record);
  }
  return records;
}

let batches = 0;
const someMetrics = (count: number, value: (n: number) => unknown, nameLength = 2) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`m${n}`.padEnd(nameLength, "_"), value(n)]),
  );

/** The largest telemetry bodies of several kinds. `now` is in epoch milliseconds. */
export const telemetryBodies: Readonly<Record<string, (now: number) => object>> = {
  "records of the field": (now) =>
    batchOf((n) => ({ ...recordOf(0, n * minuteMs), timestamp: now - n * 10_000 })),
  "500 small records": (now) =>
    batchOf((n) => ({ timestamp: now - n * 10_000, ...someMetrics(30, (m) => m + n / 10) })),
  "500 records of different hours": (now) =>
    batchOf((n) => ({ timestamp: now - n * 3_600_000, ...someMetrics(20, (m) => m + n / 10) })),
  "500 records of different shapes": (now) => {
    batches += 1;
    return batchOf((n) => ({
      timestamp: now - n * 1_000,
      [`b${batches}n${n}`]: someMetrics(20, (m) => m),
    }));
  },
  "500 records of one instant": (now) =>
    batchOf((n) => ({ timestamp: now, n: batches + n, ...someMetrics(20, (m) => m) })),
  "500 records of two instants, some of them large": (now) =>
    batchOf((n) => ({
      ...{ timestamp: now - (n % 2) * 3_600_000, seq: n },
      note: n < 16 ? "x".repeat(8_000) : `${batches}-${n}`,
    })),
  "500 records with another OTA status each": (now) =>
    batchOf((n) => ({
      timestamp: now - n * 1_000,
      ota: {
        lastResult: n % 2 === 0 ? "download-failed" : "downloading",
        offeredVersion: `1.0.${n}`,
      },
    })),
  "records with as many metrics and names as long as possible": (now) =>
    batchOf((n) => ({
      timestamp: now - n * 1_000,
      ...someMetrics(recordBounds.metrics, (m) => m / 10, recordBounds.nameLength),
    })),
  "one record of text": () => ({ text: 'ä\\"'.repeat(telemetryBytes / 8) }),
  "one record of tiny values": () => ({
    values: Array.from({ length: telemetryBytes / 5 }, () => null),
  }),
};

/** Pads a body to the largest size that routes other than telemetry accept. */
export const largeBody = (some: object): object => {
  const padding: Record<string, number> = {};
  for (let n = 0; JSON.stringify(some).length + n * 13 < bodyBytes - 200; n++) padding[`k${n}`] = n;
  return { ...some, padding };
};
