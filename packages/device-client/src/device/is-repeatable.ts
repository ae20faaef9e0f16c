import type { UntypedRequest } from "../call-route.js";
import type { DeviceRouteName } from "../device-client.js";
import { wireTable } from "../wire-table.js";

function recordsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  const records = (body as { records?: unknown } | null)?.records;
  return Array.isArray(records) ? records : [body];
}

/** A null timestamp counts as absent (§4). */
const isTimed = (record: unknown): boolean =>
  (record as { timestamp?: unknown } | null)?.timestamp != null;

/**
 * Returns whether a request is safe to repeat after its response was lost: it only reads, or it
 * reports a command (§11), or it is telemetry with an Idempotency-Key, or every record of it has a timestamp (§4).
 */
export function isRepeatable(name: DeviceRouteName, { headers, body }: UntypedRequest): boolean {
  if (wireTable[name].method === "GET") return true;
  if (name === "reportCommand") return true;
  if (name !== "sendTelemetry") return false;
  return headers?.["idempotency-key"] !== undefined || recordsOf(body).every(isTimed);
}
