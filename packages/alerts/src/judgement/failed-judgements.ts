import { StoreUnavailableError } from "@device-gateway/core/store";

/** A device that could not be judged. */
export interface FailedJudgement {
  readonly deviceId: string;
  readonly error: unknown;
}

/** If this many devices fail together, the cause is not one of them, whatever the error. */
const many = 10;

/**
 * Returns the first failure if none of the devices that were judged together could be judged, and the cause is their
 * database or the service. Returns null if the failures are those of single devices.
 */
export function findOutage(
  failed: readonly FailedJudgement[],
  together: number,
): FailedJudgement | null {
  const [first] = failed;
  if (first === undefined || failed.length < Math.max(2, together)) return null;
  const isUnavailable = failed.every(({ error }) => error instanceof StoreUnavailableError);
  return isUnavailable || failed.length >= many ? first : null;
}
