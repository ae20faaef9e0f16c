import { scrypt } from "node:crypto";
import type { SlowHash } from "../../ports/slow-hash.js";

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

/**
 * Creates a slow hash that runs scrypt on libuv's threads (4 by default), off the event loop. The gateway limits how
 * many run at once (`limits.hashesInFlight`).
 *
 * @example
 * const gateway = await createGateway({ store, secrets, slowHash: createLibuvSlowHash() });
 */
export const createLibuvSlowHash = (): SlowHash => libuvSlowHash;
