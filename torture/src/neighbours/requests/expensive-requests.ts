import type { RouteName } from "@device-gateway/core/contract";
import type { Endpoint, SampleParts } from "./endpoints.js";
import { sequence, sequenceNumber } from "./message.js";

const batchOf = (record: (n: number) => unknown) => ({
  body: { records: Array.from({ length: 500 }, (_, n) => record(n)) },
});
const hourMs = 3_600_000;
/** Two times in the past, for the `timestamp` of records. */
const times = [hourMs, 2 * hourMs].map((agoMs) => new Date(Date.now() - agoMs).toISOString());
const longNote = "x".repeat(8_000);
const everyMetric = Array.from({ length: 10 }, (_, n) => `m${n}`).join(",");
const everyAggregate = "avg,min,max,sum,count,first,last";

/** Requests that cost the server more than their size suggests, by name. */
type ExpensiveRequests = Readonly<Record<string, SampleParts>>;

/** Expensive requests that the schemas do not reveal. */
const special: { readonly [Name in RouteName]?: (deviceId: string) => ExpensiveRequests } = {
  sendTelemetry: () => ({
    "small records": batchOf((n) => ({ reading: n, seq: n, note: sequence })),
    // A row for each record of two bytes.
    "empty records": batchOf(() => ({})),
    "a shape per record": batchOf((n) => ({ [`m${n}-${sequence}`]: n })),
    // To find duplicates, small records are compared with earlier ones of the same time, which are large.
    "small records of two times with large ones": batchOf((n) => ({
      ...{ timestamp: times[n % 2], seq: n },
      note: n < 16 ? longNote : sequence,
    })),
    // The same content and time, so that only `seq` tells the records apart.
    "equal records of one time": batchOf((n) => ({
      ...{ timestamp: times[0], seq: sequenceNumber(n), note: "same" },
    })),
    // The verdicts are stored for a repetition with the same key.
    "rejected records": {
      ...batchOf(() => 5),
      headers: { "idempotency-key": `key-${sequence}` },
    },
    // Each record creates an update event.
    "ota sections": batchOf((n) => ({
      ota: { lastResult: `result-${n}-${sequence}`, lastCheckAtMs: n, updateAvailable: true },
    })),
  }),
  readTelemetryHistory: (deviceId) => ({
    "raw samples": {
      params: { deviceId },
      query: { hours: "9000", interval: "raw", limit: "5000" },
    },
    "short buckets": {
      params: { deviceId },
      query: {
        ...{ hours: "6", interval: "1s", limit: "5000" },
        ...{ metrics: everyMetric, aggregate: everyAggregate },
      },
    },
  }),
  followTelemetry: (deviceId) => ({
    // The missed records begin with the oldest record of the whole fleet.
    "from the beginning": { params: { deviceId }, headers: { "last-event-id": "0" } },
  }),
  downloadFirmware: () => ({
    // Each begins another attempt of the update.
    "the first byte": { params: { releaseId: "1" }, headers: { range: "bytes=0-0" } },
  }),
  exportTelemetry: (deviceId) => ({
    csv: { params: { deviceId }, query: { from: "0", format: "csv" } },
    ndjson: { params: { deviceId }, query: { from: "0", format: "ndjson" } },
  }),
};

/** Finds the largest integer that a query field accepts. Undefined if the field is not a number. */
function largestNumber(accepts: (value: string) => boolean): string | undefined {
  if (!accepts("1") || accepts("text")) return undefined;
  let [low, high] = [1, 2];
  while (high < 1e9 && accepts(String(high))) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (accepts(String(middle))) low = middle;
    else high = middle;
  }
  return String(low);
}

/** Returns well-formed requests with the most expensive parameters, by name. */
export function expensiveRequests(endpoint: Endpoint, deviceId: string): ExpensiveRequests {
  const own = special[endpoint.name as RouteName]?.(deviceId);
  if (own !== undefined) return own;
  const largest = Object.entries(endpoint.query).flatMap(([field, accepts]) => {
    const number = largestNumber(accepts);
    return number === undefined ? [] : [[field, number] as const];
  });
  const [sample] = endpoint.samples(deviceId);
  if (largest.length === 0 || sample === undefined) return {};
  const query = { ...sample.query, ...Object.fromEntries(largest) };
  return { [new URLSearchParams(query).toString()]: { ...sample, query } };
}
