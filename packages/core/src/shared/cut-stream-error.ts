/** The error of a stream that is aborted on purpose, so that the client does not mistake a part for the whole. */
export class CutStreamError extends Error {
  override readonly name = "CutStreamError";
}
