import { CutStreamError } from "../../shared/cut-stream-error.js";
import type { Piece } from "./message.js";

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
