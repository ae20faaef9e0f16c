/** What a sink has done since its process started, for metrics. */
export interface SinkLevels {
  /** Whether this process is the one that writes. */
  readonly isActive: boolean;
  /** Age of the oldest record that is not written yet, in seconds since its receipt. 0 at the end, null if another process writes. */
  readonly lagSeconds: number | null;
  /** Records that the receiver has accepted. */
  readonly written: number;
  /** Records that the receiver rejected, alone or together with others. They are not sent again. */
  readonly skipped: number;
  /** Values that were left out because of `maxMetricsPerDevice` and `maxSeries`. */
  readonly droppedValues: number;
  /** Attempts that failed and were repeated, because the receiver or the store did not answer. */
  readonly failures: number;
}
