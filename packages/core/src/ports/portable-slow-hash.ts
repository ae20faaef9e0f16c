import { scryptAsync } from "@noble/hashes/scrypt.js";
import type { SlowHash } from "./slow-hash.js";

/**
 * Scrypt in plain JavaScript, for runtimes without one of their own. Slower than
 * `createLibuvSlowHash` of `core/node`, and on the calling thread, yielding every 10 ms.
 */
export const portableSlowHash: SlowHash = {
  derive: (password, salt, { logN, r, p }) =>
    scryptAsync(password, salt, { N: 2 ** logN, r, p, dkLen: 32, maxmem: 2 ** 30 }),
};
