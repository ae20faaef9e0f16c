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
 * A request that waited longer than this, in milliseconds, is refused. Otherwise a long queue would only compute hashes
 * for requests that the clients have given up.
 */
const maxWaitMs = 5_000;

/**
 * A requester rests this many times as long as its hash took, so that it uses about a quarter of a core. Otherwise one
 * client could keep a core busy that the database needs.
 */
const restFactor = 3;
/** The longest rest, in milliseconds. On a busy machine a hash takes long through no fault of its requester. */
const longestRestMs = 1_000;

/**
 * How often a waiting request looks whether one may start or has waited too long, in milliseconds. The end of a rest has a
 * timer too, but some runtimes drop the timers of a request that has ended.
 */
const recheckMs = 500;

interface Waiter {
  readonly requester: HashRequester;
  /** When it began to wait, on the clock of `performance.now()`. */
  readonly since: number;
  admit(): void;
  refuse(reason: SlowHashBusyError): void;
}

/**
 * Puts a fair, bounded queue in front of a slow hash. If several hashes may run at once, no group of requesters runs all of
 * them: one place, and on a small machine the core that it needs, stays free for the others. A requester that must rest
 * has one hash at a time and rests after it.
 */
export function createFairSlowHash(
  slowHash: SlowHash,
  { inFlight, queued }: HashQueueBounds,
): FairSlowHash {
  const queues = Object.fromEntries(
    hashQueues.map((name) => [name, createFairQueue<Waiter>(queued)]),
  ) as Record<HashQueue, FairQueue<Waiter>>;
  /** The queue that was served least recently comes first. */
  let order: readonly HashQueue[] = hashQueues;
  let running = 0;
  /** Running hashes of each group of requesters, by queue and group. */
  const runningOf = new Map<string, number>();
  const maxPerGroup = Math.max(1, inFlight - 1);
  /** When each requester that must rest may have its next hash, on the clock of `performance.now()`. */
  const freeAt = new Map<string, number>();

  const groupOf = ({ queue, path: [group] }: HashRequester) => `${queue} ${group}`;
  const mayStart = (requester: HashRequester) =>
    running < inFlight &&
    (runningOf.get(groupOf(requester)) ?? 0) < maxPerGroup &&
    (freeAt.get(requester.restsAs ?? "") ?? 0) <= performance.now();
  const countRunning = (requester: HashRequester, change: 1 | -1) => {
    running += change;
    const group = groupOf(requester);
    const count = (runningOf.get(group) ?? 0) + change;
    if (count === 0) runningOf.delete(group);
    else runningOf.set(group, count);
  };
  const start = (requester: HashRequester) => {
    const { queue, restsAs } = requester;
    order = [...order.filter((other) => other !== queue), queue];
    countRunning(requester, 1);
    if (restsAs !== undefined) freeAt.set(restsAs, Number.POSITIVE_INFINITY);
  };

  function wait(requester: HashRequester): Promise<void> {
    return new Promise((resolve, reject) => {
      const watch = setInterval(startWaiting, recheckMs);
      const waiter: Waiter = {
        requester,
        since: performance.now(),
        admit() {
          clearInterval(watch);
          resolve();
        },
        refuse(reason) {
          clearInterval(watch);
          reject(reason);
        },
      };
      const loser = queues[requester.queue].add(requester.path, waiter);
      loser?.refuse(new SlowHashBusyError("Too many slow hashes are waiting."));
    });
  }

  async function enter(requester: HashRequester): Promise<void> {
    startWaiting();
    if (!mayStart(requester)) return wait(requester);
    start(requester);
    queues[requester.queue].countTurn(requester.path);
  }

  /** Starts the request whose turn is next. Returns whether there is one that may start. */
  function startNext(): boolean {
    for (const queue of order) {
      const next = queues[queue].take(({ requester }) => mayStart(requester));
      if (next === undefined) continue;
      start(next.requester);
      next.admit();
      return true;
    }
    return false;
  }

  function startWaiting(): void {
    const earliest = performance.now() - maxWaitMs;
    for (const name of hashQueues) {
      for (const { refuse } of queues[name].remove(({ since }) => since <= earliest)) {
        refuse(new SlowHashBusyError("A slow hash waited too long for its turn."));
      }
    }
    while (startNext());
  }

  function forgetRested(): void {
    for (const [name, at] of freeAt) if (at <= performance.now()) freeAt.delete(name);
  }

  function leave(requester: HashRequester, hashMs: number): void {
    countRunning(requester, -1);
    const { restsAs } = requester;
    if (restsAs !== undefined) {
      forgetRested();
      const restMs = Math.min(longestRestMs, restFactor * hashMs);
      freeAt.set(restsAs, performance.now() + restMs);
      // A timer may fire a fraction of a millisecond too early.
      if (restMs > 0) setTimeout(startWaiting, Math.ceil(restMs) + 1);
    }
    startWaiting();
  }

  return {
    waiting: () => hashQueues.reduce((sum, name) => sum + queues[name].size, 0),
    async derive(requester, ...input) {
      await enter(requester);
      const startedAt = performance.now();
      try {
        return await slowHash.derive(...input);
      } finally {
        leave(requester, performance.now() - startedAt);
      }
    },
  };
}
