import { BrokenBodyError } from "./broken-body-error.js";

/** Milliseconds without progress after which a stream is ended, in either direction (§9). */
export const stallMs = 60_000;

/**
 * Settles as the read of a body's next piece does. Rejects with a `BrokenBodyError` if none arrives within a minute.
 */
export async function awaitPiece<T>(piece: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new BrokenBodyError("The client sent nothing for a minute.")),
      stallMs,
    );
  });
  const read = piece.catch((cause: unknown) => {
    throw new BrokenBodyError("The client's body broke off.", { cause });
  });
  try {
    return await Promise.race([read, late]);
  } finally {
    clearTimeout(timer);
  }
}
