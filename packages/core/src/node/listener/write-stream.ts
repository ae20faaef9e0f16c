import type { ServerResponse } from "node:http";
import { breakOff, giveUpOn, onCut } from "../../http/request/end-stream.js";
import type { Piece } from "../../http/request/message.js";
import { stallMs } from "../../http/request/stall.js";
import { disconnect, onConnectionEnd } from "./connection-end.js";
import { turnOfSite } from "./guard-connections.js";

/**
 * Returns whether the system took all bytes of a response that emitted `finish`. Node also emits it if the connection was
 * destroyed and the rest dropped. Over HTTP/2, it emits it when the stream is closed, whatever the reason.
 */
const isWhole = ({ req, writableFinished }: ServerResponse) =>
  writableFinished && ("stream" in req || !req.socket.destroyed);

/**
 * Resolves when the client took what was written, disconnected or was cut off, or took nothing for a minute. A response
 * that has ended emits `finish` instead of `drain`.
 */
function drained(
  response: ServerResponse,
  cut: AbortSignal | undefined,
  giveUp: () => void,
): Promise<void> {
  return new Promise((resolve) => {
    let stopListening = () => {};
    let timer: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(timer);
      cancelEnd();
      stopListening();
      drainEmitter.off("drain", finish);
      response.off("finish", finish).off("close", finish).off("socket", startTimer);
      resolve();
    };
    const startTimer = () => {
      timer = setTimeout(() => {
        giveUp();
        finish();
      }, stallMs);
    };
    // A response without a socket waits for earlier ones of its connection.
    if (response.socket === null) response.once("socket", startTimer);
    else startTimer();
    // The middleware `compression` adds listeners of `drain` to a stream of its own, and returns that stream.
    const drainEmitter = response.on("drain", finish);
    response.on("finish", finish).on("close", finish);
    const cancelEnd = onConnectionEnd(response, finish);
    stopListening = onCut(cut, finish);
  });
}

const lengthOf = (piece: Piece) =>
  typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;

export interface StreamOptions {
  readonly cut?: AbortSignal | undefined;
  /** The Content-Length of the response in bytes. NaN: it has none. */
  readonly length?: number;
}

/**
 * Writes a stream as fast as the client takes it, and ends the stream if the client disconnects. If the stream breaks
 * off, the pieces before are sent. Then the connection is destroyed, so that no client mistakes a part for the whole. A
 * response with a Content-Length ends with its last byte, before the stream reports its end: the client may send its next
 * request on the connection then, and no cut may destroy it. The stream goes on after that byte only when the system
 * took all bytes of the response.
 */
export async function writeStream(
  pieces: AsyncIterable<Piece>,
  response: ServerResponse,
  { cut, length = Number.NaN }: StreamOptions = {},
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const release = () => void iterator.return?.().catch(() => {});
  let isSent = false;
  response.once("finish", () => {
    isSent = isWhole(response);
  });
  // A sent response is closed too, but its stream goes on to its end.
  const releaseUnsent = () => isSent || release();
  response.once("close", releaseUnsent);
  const cancelEnd = onConnectionEnd(response, releaseUnsent);
  const stopListening = onCut(cut, () => {
    breakOff(iterator, cut?.reason);
    response.destroy();
  });
  const giveUp = () => {
    giveUpOn(iterator);
    disconnect(response);
  };
  let missing = length;
  try {
    for (;;) {
      const next = await iterator.next();
      // A stream may be longer than its Content-Length announced.
      if (next.done === true || response.destroyed || response.writableEnded) break;
      missing -= lengthOf(next.value);
      const isTaken = response.write(next.value);
      if (missing === 0) {
        stopListening();
        response.end();
        await drained(response, undefined, giveUp);
        if (!isSent) break;
      } else if (!isTaken) await drained(response, cut, giveUp);
      await turnOfSite(response.req);
    }
    response.end();
  } catch {
    // Node sends the first bytes in the next tick. The client can resume a download after them.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    response.destroy();
  } finally {
    cancelEnd();
    stopListening();
    release();
  }
}
