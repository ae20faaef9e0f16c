import type { ServerResponse } from "node:http";
import { writeStream } from "./write-stream.js";

/** Bodies of more bytes are written in pieces of this size, each after the client has read the one before. */
export const pieceBytes = 65_536;

/** Bytes of large bodies that a process holds for clients that have not read them yet. */
const heldBytes = 64 * 2 ** 20;

/** Large bodies that are not sent completely, oldest first, with their bytes. */
const unsent = new Map<ServerResponse, number>();
let unsentBytes = 0;

/** The last large body that was encoded. Many requests may ask for the same document. */
let encoded = { text: "", bytes: Buffer.alloc(0) };

/** Returns a large body in UTF-8. */
export function encodeLargeBody(text: string): Buffer {
  if (text !== encoded.text) encoded = { text, bytes: Buffer.from(text) };
  return encoded.bytes;
}

function release(response: ServerResponse): void {
  unsentBytes -= unsent.get(response) ?? 0;
  unsent.delete(response);
}

async function* piecesOf(body: Buffer) {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

/**
 * Writes a body as fast as the client reads it. A client that reads nothing for 60 seconds is disconnected. If a
 * process holds more than 64 MiB of such bodies, it disconnects the client that has been reading the longest.
 */
export async function writeLargeBody(body: Buffer, response: ServerResponse): Promise<void> {
  unsent.set(response, body.length);
  unsentBytes += body.length;
  for (const [oldest] of unsent) {
    if (unsentBytes <= heldBytes || oldest === response) break;
    oldest.destroy();
    release(oldest);
  }
  await writeStream(piecesOf(body), response);
  release(response);
}
