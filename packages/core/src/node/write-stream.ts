import type { ServerResponse } from "node:http";
import type { Piece } from "../http/message.js";
import { stallMs } from "../http/stall.js";

/** Resolves when the client has taken what was written; ends the answer of one who does not. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), stallMs);
    const finish = () => {
      clearTimeout(timer);
      response.off("drain", finish).off("close", finish);
      resolve();
    };
    response.on("drain", finish).on("close", finish);
  });
}

/**
 * Writes a stream as fast as the client takes it, and ends what makes it when the client goes. One
 * that breaks off breaks the answer off, so that nobody takes a part for the whole.
 */
export async function writeStream(
  pieces: AsyncIterable<Piece>,
  response: ServerResponse,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  response.once("close", () => void iterator.return?.());
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true || response.destroyed) break;
      if (!response.write(next.value)) await drained(response);
    }
    response.end();
  } catch {
    response.destroy();
  }
}
