/** Why the gateway refused records or whole requests of a device, and how often. Times are epoch milliseconds. */
export interface TelemetryRefusal {
  /** The code of a rejected record (§4), or of the error response to the whole request. */
  readonly code: string;
  /** What was wrong the last time. */
  readonly message: string;
  /** Number of refused records and requests since `firstAt`. */
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}
