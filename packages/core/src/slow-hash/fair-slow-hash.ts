import { type SlowHash, SlowHashBusyError } from "../ports/slow-hash.js";
import { createFairQueue, type FairQueue } from "./fair-queue.js";
import { type HashQueue, type HashRequester, hashQueues } from "./hash-requester.js";

/** A slow hash behind bounded queues. No requester can take all places of it from the others. */
export interface FairSlowHash {
  /**
   * Computes the hash when it is the requester's turn.
   * @throws {SlowHashBusyError} if the requester's queue is full or the wait was too long.
   */
  derive(requester: HashRequester, ...input: Parameters<SlowHash["derive"]>): Promise<Uint8Array>;
  /** Returns the number of hashes that wait. */
  waiting(): number;
}

export interface HashQueueBounds {
  /** Hashes computed at once. */
  readonly inFlight: number;
  /** Hashes that may wait in each queue. */
  readonly queued: number;
}

/**
 * A request that waited longer than this is refused. Otherwise a long queue would only compute hashes for requests
 * that the clients have given up.
 */
const maxWaitMs = 5_000;

interface Waiter {
  readonly since: number;
  admit(): void;
  refuse(reason: SlowHashBusyError): void;
}

/** Puts a fair, bounded queue in front of a slow hash. `now` is in milliseconds. */
export function createFairSlowHash(
  slowHash: SlowHash,
  { inFlight, queued }: HashQueueBounds,
  now: () => number,
): FairSlowHash {
  const queues = Object.fromEntries(
    hashQueues.map((name) => [name, createFairQueue<Waiter>(queued)]),
  ) as Record<HashQueue, FairQueue<Waiter>>;
  /** The queue whose latest turn is the longest ago comes first. */
  let order: readonly HashQueue[] = hashQueues;
  let running = 0;

  const countTurn = (queue: HashQueue) => {
    order = [...order.filter((other) => other !== queue), queue];
  };

  async function enter({ queue, path }: HashRequester): Promise<void> {
    if (running < inFlight) {
      running++;
      countTurn(queue);
      queues[queue].countTurn(path);
      return;
    }
    await new Promise<void>((admit, refuse) => {
      const loser = queues[queue].add(path, { since: now(), admit, refuse });
      loser?.refuse(new SlowHashBusyError("Too many slow hashes are waiting."));
    });
  }

  function leave(): void {
    for (const name of hashQueues) {
      const late = queues[name].remove(({ since }) => now() - since > maxWaitMs);
      for (const { refuse } of late) {
        refuse(new SlowHashBusyError("A slow hash waited too long for its turn."));
      }
    }
    const queue = order.find((name) => queues[name].size > 0);
    if (queue === undefined) {
      running--;
      return;
    }
    countTurn(queue);
    queues[queue].take()?.admit();
  }

  return {
    waiting: () => hashQueues.reduce((sum, name) => sum + queues[name].size, 0),
    async derive(requester, ...input) {
      await enter(requester);
      try {
        return await slowHash.derive(...input);
      } finally {
        leave();
      }
    },
  };
}
