import { StoreUnavailableError } from "@device-gateway/core/store";

/** A device that could not be judged. */
export interface FailedJudgement {
  readonly deviceId: string;
  readonly error: unknown;
}

/**
 * Returns the error if the database of a page's devices is unavailable: several of them were due, and none could be
 * judged for this reason. Returns null if the failures are those of single devices.
 */
export function findOutage(
  failed: readonly FailedJudgement[],
  due: number,
): StoreUnavailableError | null {
  if (due < 2 || failed.length < due) return null;
  const errors = failed.flatMap(({ error }) =>
    error instanceof StoreUnavailableError ? [error] : [],
  );
  return errors.length === due ? (errors[0] ?? null) : null;
}
