/**
 * Thrown by a store that cannot answer at the moment but may answer later: it is locked, full or unreachable. The API returns
 * 503 with `Retry-After`. Any other error of a store becomes a 500.
 */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}
