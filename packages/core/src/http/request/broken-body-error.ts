/** Thrown by a transport if the rest of a body does not arrive. The client causes it, so it is not a fault. */
export class BrokenBodyError extends Error {
  override readonly name = "BrokenBodyError";
}
