import { CutStreamError } from "../shared/cut-stream-error.js";
import { BrokenBodyError } from "./broken-body-error.js";
import type { Piece } from "./message.js";

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

/** Breaks a stream off for a reason, which the stream gets too. */
export function breakOff(pieces: AsyncIterator<Piece>, reason: unknown): void {
  const end = pieces.throw?.(reason) ?? pieces.return?.();
  end?.catch(() => {});
}

/** Breaks a stream off whose client takes nothing, and gives the reason, which the stream is told as well. */
export function giveUpOn(pieces: AsyncIterator<Piece>): CutStreamError {
  const reason = new CutStreamError("The client takes nothing.");
  breakOff(pieces, reason);
  return reason;
}

/** Calls `end` once a signal aborts, at once if it has already; gives what stops listening. */
export function onCut(cut: AbortSignal | undefined, end: () => void): () => void {
  if (cut?.aborted) end();
  cut?.addEventListener("abort", end);
  return () => cut?.removeEventListener("abort", end);
}
