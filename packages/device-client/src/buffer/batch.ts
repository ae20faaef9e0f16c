import type { Entry } from "./journal.js";

/** Most records in one request (contract §4). */
export const maxRequestRecords = 500;
/** Longest body of a request, in bytes (contract §4). */
export const maxRequestBytes = 262_144;

const [before, after] = ['{"records":[', "]}"];
/** What a request is long beside its records and a comma for each. */
export const requestBytes = before.length + after.length;

/** The body of a request: the same records make the same bytes. */
export const toBody = (entries: readonly Entry[]): string =>
  before + entries.map(({ json }) => json).join(",") + after;
