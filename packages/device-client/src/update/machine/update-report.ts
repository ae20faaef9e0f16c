/** The body of `POST /ota/events` (§6). */
export interface UpdateReport {
  readonly state:
    | "downloading"
    | "downloaded"
    | "verified"
    | "installing"
    | "rebooting"
    | "succeeded"
    | "failed"
    | "rejected"
    | "rolled_back"
    | "cancelled";
  readonly version: string;
  /** Percent. */
  readonly progress?: number;
  readonly code?: string;
  readonly message?: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

const maxWaiting = 32;

/**
 * Appends a report to the outbox, which has at most 32. If it is full, the oldest progress report is
 * dropped, or the oldest report if there is none.
 */
export function addReport(
  outbox: readonly UpdateReport[],
  report: UpdateReport,
): readonly UpdateReport[] {
  const waiting = [...outbox, report];
  if (waiting.length <= maxWaiting) return waiting;
  const step = waiting.findIndex(({ progress }) => progress !== undefined);
  return waiting.toSpliced(Math.max(0, step), 1);
}
