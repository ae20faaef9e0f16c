import { minuteMs } from "../shared/durations.js";

/** How far a record's timestamp may be ahead of its receipt (§4), in milliseconds. */
export const recordAheadMs: number = 5 * minuteMs;
