import type { ServerResponse } from "node:http";
import { writeStream } from "./write-stream.js";

/** Texts of more characters are written in pieces of this many bytes, each after the client has read the one before. */
export const pieceBytes = 65_536;

/** A body that is in memory until its last piece is written. Its length is in bytes. */
export interface LargeBody extends AsyncIterable<Uint8Array> {
  readonly length: number;
}

/** The most bytes of large bodies that a process holds for clients that have not read them yet. */
const heldBytes = 64 * 2 ** 20;

/** Large bodies that are not sent completely, oldest first, with their bytes. */
const unsent = new Map<ServerResponse, number>();
let unsentBytes = 0;

function release(response: ServerResponse): void {
  unsentBytes -= unsent.get(response) ?? 0;
  unsent.delete(response);
}

/** Returns a large text in UTF-8. */
export function toLargeBody(text: string): LargeBody {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  return { length: bytes.length, [Symbol.asyncIterator]: pieces };
}

/**
 * Writes a body as fast as the client reads it. A client that reads nothing for 60 seconds is disconnected. If a
 * process holds more than 64 MiB of such bodies, it disconnects the client that has been reading the longest.
 */
export async function writeLargeBody(body: LargeBody, response: ServerResponse): Promise<void> {
  unsent.set(response, body.length);
  unsentBytes += body.length;
  for (const [oldest] of unsent) {
    if (unsentBytes <= heldBytes || oldest === response) break;
    oldest.destroy();
    release(oldest);
  }
  await writeStream(body, response, { length: body.length });
  release(response);
}
