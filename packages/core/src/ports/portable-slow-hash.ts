import { scryptAsync } from "@noble/hashes/scrypt.js";
import type { SlowHash } from "./slow-hash.js";

/**
 * Scrypt in plain JavaScript, for runtimes without a native one. It is slower than `createLibuvSlowHash` of
 * `core/node` and runs on the calling thread, which it yields every 10 ms.
 * @example
 * ```ts
 * const hash = await portableSlowHash.derive(password, salt, { logN: 15, r: 8, p: 3 });
 * ```
 */
export const portableSlowHash: SlowHash = {
  derive: (password, salt, { logN, r, p }) =>
    scryptAsync(password, salt, { N: 2 ** logN, r, p, dkLen: 32, maxmem: 2 ** 30 }),
};
