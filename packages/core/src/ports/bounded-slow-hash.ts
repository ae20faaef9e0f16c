import { type SlowHash, SlowHashBusyError } from "./slow-hash.js";

export interface SlowHashBounds {
  /** Hashes computed at once. */
  readonly inFlight: number;
  /** Hashes that may wait; beyond, requests get 503. */
  readonly queued: number;
}

/**
 * Who waited longer than this is turned away instead of served. Otherwise a queue that takes longer than
 * a request may would compute for those alone who have gone, and who come again meanwhile: nobody
 * would ever be answered.
 */
const patienceMs = 5_000;

/** Puts a bounded queue in front of a slow hash: each one takes memory that others need too. */
export function boundSlowHash(
  slowHash: SlowHash,
  { inFlight, queued }: SlowHashBounds,
  now: () => number = () => performance.now(),
): SlowHash {
  const waiting: { readonly since: number; readonly admit: (isLate: boolean) => void }[] = [];
  let running = 0;

  const enter = async () => {
    if (running < inFlight) {
      running++;
      return;
    }
    if (waiting.length >= queued) throw new SlowHashBusyError("Too many slow hashes are waiting.");
    const isLate = await new Promise<boolean>((admit) => waiting.push({ since: now(), admit }));
    if (isLate) throw new SlowHashBusyError("A slow hash waited too long for its turn.");
  };
  const leave = () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const isLate = now() - next.since > patienceMs;
      next.admit(isLate);
      if (!isLate) return;
    }
    running--;
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
