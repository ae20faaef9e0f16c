import type { Entry } from "./journal.js";

/** Maximum number of records in one request (§4). */
export const maxRequestRecords = 500;
/** Maximum size of a request body, in bytes (§4). */
export const maxRequestBytes = 262_144;

const [before, after] = ['{"records":[', "]}"];
/** Size of a request body in bytes without its records and the commas between them. */
export const requestBytes = before.length + after.length;

/** Returns the body of a request. The same records always give the same bytes. */
export const toBody = (entries: readonly Entry[]): string =>
  before + entries.map(({ json }) => json).join(",") + after;
