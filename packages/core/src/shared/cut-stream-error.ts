/** Aborts a stream on purpose, so that the client does not take a part for the whole. */
export class CutStreamError extends Error {
  override readonly name = "CutStreamError";
}
