import { scrypt } from "node:crypto";
import { type SlowHash, SlowHashBusyError } from "../ports/slow-hash.js";

export interface LibuvSlowHashOptions {
  /** Hashes computed at once; each takes one of libuv's threads (4 by default). Default: 2. */
  readonly inFlight?: number;
  /** Hashes that may wait; beyond, requests get 503. Default: 32. */
  readonly queued?: number;
}

/** Scrypt on libuv's threads behind a bounded queue, off the event loop. */
export function createLibuvSlowHash({
  inFlight = 2,
  queued = 32,
}: LibuvSlowHashOptions = {}): SlowHash {
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = async () => {
    if (running < inFlight) {
      running++;
      return;
    }
    if (waiting.length >= queued) throw new SlowHashBusyError("Too many slow hashes are waiting.");
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };

  return {
    async derive(password, salt, { logN, r, p }) {
      await enter();
      try {
        return await new Promise((resolve, reject) => {
          const options = { N: 2 ** logN, r, p, maxmem: 2 ** 30 };
          scrypt(password, salt, 32, options, (error, key) => {
            if (error) reject(error);
            else resolve(new Uint8Array(key));
          });
        });
      } finally {
        leave();
      }
    },
  };
}
