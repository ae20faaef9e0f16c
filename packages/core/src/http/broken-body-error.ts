/** Thrown by a transport when the rest of a body won't come: the client's doing, not a fault. */
export class BrokenBodyError extends Error {
  override readonly name = "BrokenBodyError";
}
