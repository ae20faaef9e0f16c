import { setFlagsFromString } from "node:v8";

/**
 * Lets the heap grow to twice its live size before V8 collects all of it. V8 may collect it after it has grown by a tenth,
 * at least 8 MB, buffers included: about once a second while a client reads charts from Postgres. Such a collection
 * delays requests (docs/decisions/0079-cost-of-charts.md).
 */
export function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
