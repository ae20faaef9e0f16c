import { type SlowHash, SlowHashBusyError } from "./slow-hash.js";

export interface SlowHashBounds {
  /** Hashes computed at once. */
  readonly inFlight: number;
  /** Hashes that may wait; beyond, requests get 503. */
  readonly queued: number;
}

/** Puts a bounded queue in front of a slow hash: each one takes memory that others need too. */
export function boundSlowHash(slowHash: SlowHash, { inFlight, queued }: SlowHashBounds): SlowHash {
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
    waiting: () => waiting.length,
    async derive(...input) {
      await enter();
      try {
        return await slowHash.derive(...input);
      } finally {
        leave();
      }
    },
  };
}
