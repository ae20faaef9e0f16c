/** What `POST /ota/events` is told (contract §6). */
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

const mostWaiting = 32;

/**
 * Puts a report behind those that wait. At most 32 wait: then a step of progress is dropped
 * first, or else the oldest.
 */
export function addReport(
  outbox: readonly UpdateReport[],
  report: UpdateReport,
): readonly UpdateReport[] {
  const waiting = [...outbox, report];
  if (waiting.length <= mostWaiting) return waiting;
  const step = waiting.findIndex(({ progress }) => progress !== undefined);
  return waiting.toSpliced(Math.max(0, step), 1);
}
