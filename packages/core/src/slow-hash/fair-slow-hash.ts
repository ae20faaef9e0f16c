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

/**
 * A requester rests this many times as long as its hash took, so that it uses at most a quarter of a core. Otherwise one
 * client could keep a core busy that the database needs.
 */
const restFactor = 3;
/** The longest rest, in milliseconds. On a busy machine a hash takes long through no fault of its requester. */
const longestRestMs = 1_000;
/** A rest that is this many milliseconds overdue is over: some runtimes drop the timers of a request that has ended. */
const overdueMs = 1_000;

interface Waiter {
  readonly requester: HashRequester;
  readonly since: number;
  admit(): void;
  refuse(reason: SlowHashBusyError): void;
}

/**
 * Puts a fair, bounded queue in front of a slow hash. If several hashes may run at once, no group of requesters runs all of
 * them: one place, and on a small machine the core that it needs, stays free for the others. After a hash, a requester of
 * claims rests. `now` is in milliseconds.
 */
export function createFairSlowHash(
  slowHash: SlowHash,
  { inFlight, queued }: HashQueueBounds,
  now: () => number,
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

  /** When each resting requester may have its next hash, on the clock of `performance.now()`. */
  const restingUntil = new Map<string, number>();
  const isResting = ({ restsAs = "" }: HashRequester) =>
    performance.now() < (restingUntil.get(restsAs) ?? -Infinity) + overdueMs;

  const groupOf = ({ queue, path: [group] }: HashRequester) => `${queue} ${group}`;
  const mayStart = (requester: HashRequester) =>
    running < inFlight &&
    (runningOf.get(groupOf(requester)) ?? 0) < maxPerGroup &&
    !isResting(requester);
  const countRunning = (requester: HashRequester, change: 1 | -1) => {
    running += change;
    const group = groupOf(requester);
    const count = (runningOf.get(group) ?? 0) + change;
    if (count === 0) runningOf.delete(group);
    else runningOf.set(group, count);
  };
  const start = (requester: HashRequester) => {
    const { queue } = requester;
    order = [...order.filter((other) => other !== queue), queue];
    countRunning(requester, 1);
  };

  async function enter(requester: HashRequester): Promise<void> {
    const queue = queues[requester.queue];
    if (mayStart(requester)) {
      start(requester);
      queue.countTurn(requester.path);
      return;
    }
    await new Promise<void>((admit, refuse) => {
      const loser = queue.add(requester.path, { requester, since: now(), admit, refuse });
      loser?.refuse(new SlowHashBusyError("Too many slow hashes are waiting."));
    });
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
    for (const name of hashQueues) {
      const late = queues[name].remove(({ since }) => now() - since > maxWaitMs);
      for (const { refuse } of late) {
        refuse(new SlowHashBusyError("A slow hash waited too long for its turn."));
      }
    }
    while (startNext());
  }

  function rest({ restsAs }: HashRequester, hashMs: number): void {
    if (restsAs === undefined) return;
    const restMs = Math.min(longestRestMs, restFactor * hashMs);
    const until = performance.now() + restMs;
    restingUntil.set(restsAs, until);
    setTimeout(() => {
      // Another hash of the requester may have begun a longer rest.
      if (restingUntil.get(restsAs) === until) restingUntil.delete(restsAs);
      startWaiting();
    }, restMs);
  }

  return {
    waiting: () => hashQueues.reduce((sum, name) => sum + queues[name].size, 0),
    async derive(requester, ...input) {
      await enter(requester);
      const startedAt = performance.now();
      try {
        return await slowHash.derive(...input);
      } finally {
        countRunning(requester, -1);
        rest(requester, performance.now() - startedAt);
        startWaiting();
      }
    },
  };
}
