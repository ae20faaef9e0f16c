import type { ServerResponse } from "node:http";
import { disconnect } from "./connection-end.js";
import { siteOfRequest } from "./guard-connections.js";
import { writeStream } from "./write-stream.js";

/**
 * A body with more characters than this is written in pieces of this many bytes, each after the client has read the one
 * before.
 */
export const pieceBytes = 65_536;

/** A body that is in memory until its last piece is written. Its length is in bytes. */
export interface LargeBody extends AsyncIterable<Uint8Array> {
  readonly length: number;
}

/** The most bytes of large bodies that a process holds for clients that have not read them yet. */
const maxHeldBytes = 64 * 2 ** 20;

interface Unsent {
  readonly response: ServerResponse;
  readonly bytes: number;
  /** The client site that must read it. */
  readonly site: string;
}

/** Large bodies that are not sent completely, oldest first. */
const unsent = new Set<Unsent>();
let unsentBytes = 0;

function release(body: Unsent): void {
  if (unsent.delete(body)) unsentBytes -= body.bytes;
}

/** Returns the oldest body of the site that has the most bytes. */
function findVictim(): Unsent | undefined {
  const bytesOf = new Map<string, number>();
  for (const { site, bytes } of unsent) bytesOf.set(site, (bytesOf.get(site) ?? 0) + bytes);
  const largest = Math.max(...bytesOf.values());
  return [...unsent].find(({ site }) => bytesOf.get(site) === largest);
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
 * process holds more than 64 MiB of such bodies, it disconnects the client that has been reading the longest, of the
 * client site with the most bytes.
 */
export async function writeLargeBody(body: LargeBody, response: ServerResponse): Promise<void> {
  const own = { response, bytes: body.length, site: siteOfRequest(response.req) };
  unsent.add(own);
  unsentBytes += own.bytes;
  while (unsentBytes > maxHeldBytes) {
    const victim = findVictim();
    if (victim === undefined || victim === own) break;
    release(victim);
    disconnect(victim.response);
  }
  await writeStream(body, response, { length: body.length });
  release(own);
}
