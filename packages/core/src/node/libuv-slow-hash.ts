import { scrypt } from "node:crypto";
import { boundSlowHash } from "../ports/bounded-slow-hash.js";
import type { SlowHash } from "../ports/slow-hash.js";

export interface LibuvSlowHashOptions {
  /** Hashes computed at once; each takes one of libuv's threads (4 by default). Default: 2. */
  readonly inFlight?: number;
  /** Hashes that may wait; beyond, requests get 503. Default: 32. */
  readonly queued?: number;
}

const libuvSlowHash: SlowHash = {
  derive: (password, salt, { logN, r, p }) =>
    new Promise((resolve, reject) => {
      const options = { N: 2 ** logN, r, p, maxmem: 2 ** 30 };
      scrypt(password, salt, 32, options, (error, key) => {
        if (error) reject(error);
        else resolve(new Uint8Array(key));
      });
    }),
};

/** Scrypt on libuv's threads behind a bounded queue, off the event loop. */
export function createLibuvSlowHash({
  inFlight = 2,
  queued = 32,
}: LibuvSlowHashOptions = {}): SlowHash {
  return boundSlowHash(libuvSlowHash, { inFlight, queued });
}
