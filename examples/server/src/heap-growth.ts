import { setFlagsFromString } from "node:v8";

/**
 * Lets the heap grow to twice its live size before V8 collects all of it. V8 would collect a heap of 40 MB each time
 * it has grown by 8 MB, buffers included: almost once a second while a client reads telemetry history from Postgres.
 * Such a collection delays requests by 10 to 40 ms on two cores (docs/decisions/0079-cost-of-charts.md).
 */
export function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
