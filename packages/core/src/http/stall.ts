import { BrokenBodyError } from "./broken-body-error.js";

/** Without progress for so long, a stream is ended, in either direction (contract §9). */
export const stallMs = 60_000;

/** Settles as the reading of a body's next piece does; a `BrokenBodyError` when none comes. */
export async function awaitPiece<T>(piece: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BrokenBodyError("Nothing came for a minute.")), stallMs);
  });
  const read = piece.catch((cause: unknown) => {
    throw new BrokenBodyError("The body broke off.", { cause });
  });
  try {
    return await Promise.race([read, late]);
  } finally {
    clearTimeout(timer);
  }
}
