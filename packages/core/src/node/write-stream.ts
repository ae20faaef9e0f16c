import type { ServerResponse } from "node:http";
import type { Piece } from "../http/message.js";
import { breakOff, giveUpOn, onCut, stallMs } from "../http/stall.js";
import { onConnectionEnd } from "./connection-end.js";

/** Resolves when the client has taken what was written, has gone, is cut off, or is given up on because it does not. */
function drained(
  response: ServerResponse,
  cut: AbortSignal | undefined,
  giveUp: () => void,
): Promise<void> {
  return new Promise((resolve) => {
    let listenNoMore = () => {};
    const finish = () => {
      clearTimeout(timer);
      forget();
      listenNoMore();
      response.off("drain", finish).off("close", finish);
      resolve();
    };
    const timer = setTimeout(() => {
      giveUp();
      finish();
    }, stallMs);
    response.on("drain", finish).on("close", finish);
    const forget = onConnectionEnd(response, finish);
    listenNoMore = onCut(cut, finish);
  });
}

/**
 * Writes a stream as fast as the client takes it, and ends what makes it when the client goes. One
 * that breaks off breaks the answer off, so that nobody takes a part for the whole.
 */
export async function writeStream(
  pieces: AsyncIterable<Piece>,
  response: ServerResponse,
  cut?: AbortSignal,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const letGo = () => void iterator.return?.();
  response.once("close", letGo);
  const forget = onConnectionEnd(response, letGo);
  const listenNoMore = onCut(cut, () => {
    breakOff(iterator, cut?.reason);
    response.destroy();
  });
  const giveUp = () => {
    giveUpOn(iterator);
    response.destroy();
  };
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true || response.destroyed) break;
      if (!response.write(next.value)) await drained(response, cut, giveUp);
    }
    response.end();
  } catch {
    response.destroy();
  } finally {
    forget();
    listenNoMore();
    letGo();
  }
}
