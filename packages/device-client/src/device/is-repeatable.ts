import type { LooseRequest } from "../call-route.js";
import type { DeviceRouteName } from "../device-client.js";
import { wireTable } from "../wire-table.js";

function recordsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  const records = (body as { records?: unknown } | null)?.records;
  return Array.isArray(records) ? records : [body];
}

/** Null is no timestamp, as the server sees it (contract §4). */
const isTimed = (record: unknown): boolean =>
  (record as { timestamp?: unknown } | null)?.timestamp != null;

/**
 * Whether a request does the same when it is repeated after its answer was lost: it only reads, or
 * it is telemetry with an Idempotency-Key or with timed records alone (contract §4).
 */
export function isRepeatable(name: DeviceRouteName, { headers, body }: LooseRequest): boolean {
  if (wireTable[name].method === "GET") return true;
  if (name !== "sendTelemetry") return false;
  return headers?.["idempotency-key"] !== undefined || recordsOf(body).every(isTimed);
}
