/**
 * Thrown by a store that can't answer now (locked, full, unreachable) and may later.
 * Answered as 503 with Retry-After; any other error is a 500.
 */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}
