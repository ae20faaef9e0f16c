import { CutStreamError } from "../../shared/cut-stream-error.js";
import { BrokenBodyError } from "./broken-body-error.js";
import type { Piece } from "./message.js";

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

/** Ends a stream with a reason, which is passed to the stream. */
export function breakOff(pieces: AsyncIterator<Piece>, reason: unknown): void {
  const end = pieces.throw?.(reason) ?? pieces.return?.();
  end?.catch(() => {});
}

/** Ends a stream whose client takes nothing. Returns the reason, which is also passed to the stream. */
export function giveUpOn(pieces: AsyncIterator<Piece>): CutStreamError {
  const reason = new CutStreamError("The client took nothing for a minute.");
  breakOff(pieces, reason);
  return reason;
}

/** Calls `end` when a signal aborts, at once if it already has. Returns a function that stops listening. */
export function onCut(cut: AbortSignal | undefined, end: () => void): () => void {
  if (cut?.aborted) end();
  cut?.addEventListener("abort", end);
  return () => cut?.removeEventListener("abort", end);
}
