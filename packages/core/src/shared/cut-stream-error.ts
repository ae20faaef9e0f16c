/** Breaks a stream off on purpose, so that nobody takes a part for the whole. */
export class CutStreamError extends Error {
  override readonly name = "CutStreamError";
}
